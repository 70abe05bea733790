package peer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

// Server is an MCP server that speaks over standard input and output.
type Server struct {
	Name    string
	Program *program.Program // what it runs in: a home and a mark of its own
	Command []string
}

// UsherServer returns the MCP server of the usher at path.
func UsherServer(path string) (*Server, error) {
	usher, err := Usher(path)
	if err != nil {
		return nil, fmt.Errorf("%w; run make build", err)
	}
	return &Server{Name: "usher", Program: usher, Command: []string{usher.Path, "mcp"}}, nil
}

// PlaywrightServer is @playwright/mcp in modules (see Modules), without a window and with a profile for each start.
func PlaywrightServer(modules string) (*Server, error) {
	chrome, err := cdptest.Path()
	if err != nil {
		return nil, err
	}
	return nodeServer("playwright", filepath.Join(modules, "@playwright", "mcp", "cli.js"),
		"--headless", "--isolated", "--no-sandbox", "--executable-path", chrome)
}

// DevToolsServer is chrome-devtools-mcp in modules (see Modules), without a window and with a profile for each start.
func DevToolsServer(modules string) (*Server, error) {
	chrome, err := cdptest.Path()
	if err != nil {
		return nil, err
	}
	args := []string{"--headless", "--isolated", "--executablePath", chrome}
	for _, a := range []string{"--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"} {
		args = append(args, "--chromeArg="+a)
	}
	return nodeServer("chrome-devtools", filepath.Join(modules, "chrome-devtools-mcp", "build", "src", "bin", "chrome-devtools-mcp.js"), args...)
}

func nodeServer(name, script string, args ...string) (*Server, error) {
	home, err := program.New(name+"-mcp", "/usr/bin/env", "HOME={home}")
	if err != nil {
		return nil, err
	}
	return &Server{Name: name, Program: home, Command: append([]string{"node", script}, args...)}, nil
}

// Connect starts the server for a client with these directories as its roots.
func (s *Server) Connect(ctx context.Context, roots ...string) (*mcp.ClientSession, error) {
	server := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	server.Env = append(os.Environ(), s.Program.Env...)
	server.Dir = s.Program.Home // some write files where they are
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	for _, root := range roots {
		//nolint:staticcheck // clients still tell their roots
		client.AddRoots(&mcp.Root{URI: "file://" + root, Name: filepath.Base(root)})
	}
	return client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
}

// Again returns the same server in a fresh home.
func (s *Server) Again() (*Server, error) {
	fresh, err := s.Program.Again()
	if err != nil {
		return nil, err
	}
	return &Server{Name: s.Name, Program: fresh, Command: s.Command}, nil
}

// End ends the server's remaining processes, and removes its home; it writes failures to standard error.
func (s *Server) End() {
	if _, err := s.Program.End(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

// Text returns the text of a tool's answer.
func Text(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
