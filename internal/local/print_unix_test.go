//go:build unix

package local

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/local/doctor"
)

// TestPrinted looks at what a shell gets.
func TestPrinted(t *testing.T) {
	t.Setenv("USHER_CHROME", filepath.Join(t.TempDir(), "missing"))
	p := Program{Version: "1.2.3"}
	show := func(ctx context.Context, stdout io.Writer, argv ...string) (exit int, errText string) {
		req, call := request(t, nil, argv...)
		var stderr strings.Builder
		return p.Run(ctx, req, call, stdout, &stderr), stderr.String()
	}
	var out strings.Builder
	exit, errText := show(t.Context(), &out, "doctor", "--quick", "--offline", "--json")
	var report doctor.Report
	if err := json.Unmarshal([]byte(out.String()), &report); err != nil || exit != 1 || errText != "" {
		t.Errorf("exit %d, %q, %v", exit, errText, err)
	}
	if report.Success || report.Code != api.CheckFailed || report.Summary.Fail != 1 || report.Fixed == nil || len(report.Checks) < 10 {
		t.Errorf("%+v", report)
	}
	out.Reset()
	if exit, errText := show(t.Context(), &out, "doctor", "--quick", "--offline"); exit != 1 || errText != "" || !strings.Contains(out.String(), "✗ executable") {
		t.Errorf("exit %d, %q\n%s", exit, errText, &out)
	}
	out.Reset()
	if exit, _ := show(t.Context(), &out, "session", "--json"); exit != 0 || out.String() != `{"success":true,"data":{"session":"default"},"error":null}`+"\n" {
		t.Errorf("exit %d, %s", exit, &out)
	}
	full, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	if exit, errText := show(t.Context(), full, "session"); exit != 1 || !strings.Contains(errText, "cannot be written") {
		t.Errorf("exit %d, %q", exit, errText)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out.Reset()
	if exit, errText := show(ctx, &out, "doctor", "--quick"); exit != api.Lookup(api.Cancelled).Exit || !strings.Contains(errText, "interrupted") || out.String() != "" {
		t.Errorf("exit %d, %q, %s", exit, errText, &out)
	}
}
