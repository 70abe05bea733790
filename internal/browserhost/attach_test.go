package browserhost

import (
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

func TestIsRemote(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]bool{
		"": false, "9222": false, "http://127.0.0.1:9222": false, "ws://localhost:9222/devtools/browser/x": false, "http://[::1]:9222": false,
		"http://[::ffff:127.0.0.1]:9222": false, "http://app.localhost:9222": false,
		"http://192.168.1.4:9222": true, "wss://browsers.example/x": true, "http://127.0.0.1.example:9222": true, "http://%zz": true,
	} {
		if got := isRemote(endpoint); got != want {
			t.Errorf("%q: %v", endpoint, got)
		}
	}
}

// TestMetadataIsNoBrowser: the address of a cloud's metadata service is refused before anything is asked there.
func TestMetadataIsNoBrowser(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://169.254.169.254", "ws://metadata.google.internal/devtools/browser/1", "wss://[fd00:ec2::254]:9222"} {
		if err := mayAttach(t.Context(), address); api.CodeOf(err) != api.URLBlocked {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"9222", "http://127.0.0.1:9222", "ws://localhost:1/devtools/browser/1"} {
		if err := mayAttach(t.Context(), address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
