package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
)

//go:embed shop
var shelf embed.FS

// shop is a small shop on loopback. It answers as 127.0.0.1 and as localhost, which are different sites to a browser: the
// payment form on its page comes from the second.
type shop struct {
	port   int
	server *http.Server
	served chan struct{}
}

func openShop() (*shop, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the shop: %w", err)
	}
	s := &shop{port: listener.Addr().(*net.TCPAddr).Port, served: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", s.page("shop.html"))
	mux.HandleFunc("/pay", s.page("pay.html"))
	mux.HandleFunc("/receipt.txt", receipt)
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	go func() {
		defer close(s.served)
		_ = s.server.Serve(listener) // ends when the shop closes
	}()
	return s, nil
}

func (s *shop) url() string { return fmt.Sprintf("http://127.0.0.1:%d/", s.port) }

func (s *shop) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.server.Close() // a browser that was killed left a connection
	}
	<-s.served
	return err
}

func (s *shop) page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		text, err := shelf.ReadFile("shop/" + name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(strings.ReplaceAll(string(text), "{{bank}}", fmt.Sprintf("http://localhost:%d", s.port))))
	}
}

const receiptText = "Receipt\n1 teapot, green   24.00\n"

func receipt(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="receipt.txt"`)
	_, _ = w.Write([]byte(receiptText))
}
