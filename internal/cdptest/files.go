package cdptest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Attachment is the whole content of the file at /file/report.csv.
const Attachment = "item,price\nteapot,24\nkettle,39\n"

// Upload is one file received at /upload, as the page shows it in #received.
type Upload struct {
	Field  string `json:"field"`
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // hex
}

// routeFiles are downloads and uploads.
func (s *Site) routeFiles(mux *http.ServeMux) {
	mux.HandleFunc("/file/report.csv", func(w http.ResponseWriter, r *http.Request) {
		attach(w, "report.csv", len(Attachment))
		_, _ = io.WriteString(w, Attachment)
	})
	mux.HandleFunc("/file/words.pdf", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, pages, "pages/words.pdf") })
	mux.HandleFunc("/file/big.bin", serveBytes)
	mux.HandleFunc("/file/slow.bin", s.slowFile)
	mux.HandleFunc("/file/failing.bin", failingFile)
	mux.HandleFunc("/file/never.bin", func(w http.ResponseWriter, r *http.Request) {
		attach(w, "never.bin", 1<<20)
		_, _ = io.WriteString(w, strings.Repeat("n", 4096))
		w.(http.Flusher).Flush()
		s.never(r)
	})
	mux.HandleFunc("POST /upload", upload)
}

func attach(w http.ResponseWriter, name string, size int) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	w.Header().Set("Content-Length", fmt.Sprint(size))
}

// serveBytes sends ?n= bytes (default 100) as a download.
func serveBytes(w http.ResponseWriter, r *http.Request) {
	n := count(r, 100)
	attach(w, "big.bin", n)
	_, _ = io.CopyN(w, endlessFile{}, int64(n))
}

// endlessFile is an endless file of one letter.
type endlessFile struct{}

func (endlessFile) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'u'
	}
	return len(p), nil
}

// slowFile takes ?ms= (default 2000) to send 20 blocks of 1 KiB.
func (s *Site) slowFile(w http.ResponseWriter, r *http.Request) {
	const blocks = 20
	attach(w, "slow.bin", blocks<<10)
	tick := time.NewTicker(max(milliseconds(r, "ms", 2*time.Second)/blocks, time.Millisecond))
	defer tick.Stop()
	for range blocks {
		_, _ = io.CopyN(w, endlessFile{}, 1<<10)
		w.(http.Flusher).Flush()
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-s.ended:
			return
		}
	}
}

// failingFile promises 1 MiB, sends a part and cuts the connection: the browser cancels the download.
func failingFile(w http.ResponseWriter, _ *http.Request) {
	attach(w, "failing.bin", 1<<20)
	_, _ = io.CopyN(w, endlessFile{}, 64<<10)
	w.(http.Flusher).Flush()
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// upload shows what arrived, both for people and, in #received, as JSON: the files, and the plain fields by name.
func upload(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(32 << 20); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	files := []Upload{}
	for field, parts := range r.MultipartForm.File {
		for _, part := range parts {
			body, err := part.Open()
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			sum := sha256.New()
			size, err := io.Copy(sum, body)
			_ = body.Close()
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			files = append(files, Upload{Field: field, Name: part.Filename, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))})
		}
	}
	received, err := json.Marshal(map[string]any{"files": files, "fields": r.MultipartForm.Value})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html><html lang=en><title>Uploaded %d files</title><pre id=received>%s</pre><a href=/upload>Again</a>",
		len(files), escapeText(string(received)))
}
