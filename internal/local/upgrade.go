package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Upgraded is the result of `upgrade`.
type Upgraded struct {
	Version string `json:"version"` // of the program that runs
	Method  string `json:"method"`  // how it was installed: npm, deb, brew, go, source, container or archive
	Path    string `json:"path"`    // the program, with symbolic links resolved
	// Command is what upgrades it; nothing runs it but the person.
	Command string `json:"command"`
	// Latest is the version that the releases' address names, with --check; empty without one.
	Latest string `json:"latest,omitzero"`
	// Newer reports whether Latest is newer than Version; absent if that is not known.
	Newer *bool `json:"newer,omitzero"`
}

// releasesVariable names the address that --check asks. There is no default: nothing is asked that was not configured.
const releasesVariable = "USHER_RELEASES_URL"

// upgrader finds out how the program was installed.
type upgrader struct {
	req     *api.Request
	call    *verb.Call
	version string
	path    string           // of the program, with symbolic links resolved
	root    string           // stands in front of the system's own files; empty except in tests
	build   *debug.BuildInfo // nil if the program has none
}

func newUpgrader(version string, req *api.Request, call *verb.Call) (*upgrader, error) {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil, api.Errorf(api.Internal, "find the file of this program: %w", err)
	}
	u := &upgrader{req: req, call: call, version: version, path: path}
	u.build, _ = debug.ReadBuildInfo()
	return u, nil
}

// run tells how to upgrade. It changes nothing.
func (u *upgrader) run(ctx context.Context) (Output, error) {
	out := Upgraded{Version: u.version, Path: u.path}
	out.Method, out.Command = u.method()
	text := fmt.Sprintf("%s %s, installed as %s: %s\nTo upgrade it: %s", u.call.Mode.Program(), u.version, describeMethod(out.Method), u.path, out.Command)
	if !u.call.Bool("check") {
		return Output{Data: out, Text: text + "\nNothing was changed. `" + u.call.Mode.Program() + " daemon stop` afterwards lets the new program start its own daemon."}, nil
	}
	address := u.req.Getenv(releasesVariable)
	if address == "" {
		return Output{Data: out, Text: text, Warning: "whether there is a newer version is not known: " + releasesVariable +
			" is not set, and nothing is asked that is not configured"}, nil
	}
	latest, err := latestRelease(ctx, address)
	if err != nil {
		return Output{}, err
	}
	out.Latest = latest
	order, known := compareVersions(u.version, latest)
	if !known {
		return Output{Data: out, Text: text + "\nThe latest release is " + latest + "; whether that is newer than " + u.version + " cannot be told."}, nil
	}
	out.Newer = new(order < 0)
	if order < 0 {
		return Output{Data: out, Text: text + "\nThe latest release is " + latest + ", which is newer."}, nil
	}
	return Output{Data: out, Text: fmt.Sprintf("%s %s is the latest release (%s).", u.call.Mode.Program(), u.version, latest)}, nil
}

// describeMethod returns a method of installation in words.
func describeMethod(method string) string {
	switch method {
	case "npm":
		return "an npm package"
	case "deb":
		return "a Debian package"
	case "brew":
		return "a Homebrew formula"
	case "go":
		return "a Go program (go install)"
	case "source":
		return "a build from source"
	case "container":
		return "a part of a container image"
	}
	return "a file of a release's archive"
}

// method returns how the program was installed, and the command that upgrades it.
func (u *upgrader) method() (name, command string) {
	slashes := filepath.ToSlash(u.path)
	const module = "github.com/usher-browser/usher"
	switch {
	case strings.Contains(slashes, "/node_modules/"):
		global := ""
		if !within(u.req.Cwd, u.path) {
			global = "-g "
		}
		return "npm", "npm install " + global + "usher-browser@latest, or the two .tgz files of a newer release"
	case strings.Contains(slashes, "/Cellar/"):
		return "brew", "brew upgrade usher"
	case u.ofDebian():
		install := "apt install ./usher_VERSION_" + runtime.GOARCH + ".deb"
		if u.inContainer() { // the image of the Containerfile has the package
			return "container", "docker build -t usher -f Containerfile . beside the .deb of a newer release, and start the container again; or, in this container, " + install
		}
		return "deb", "sudo " + install + ", with the file of a newer release"
	}
	if dir := checkout(filepath.Dir(u.path), module); dir != "" {
		return "source", "git -C " + dir + " pull && make -C " + dir + " build"
	}
	if b := u.build; b != nil && b.Main.Path == module && b.Main.Sum != "" { // built from the module cache
		return "go", "go install " + module + "/cmd/usher@latest"
	}
	return "archive", "download usher_VERSION_" + runtime.GOOS + "_" + runtime.GOARCH + " of a newer release from https://" + module + "/releases, and unpack it over " + u.path
}

// inContainer reports whether this is a container of Docker or Podman.
func (u *upgrader) inContainer() bool {
	return slices.ContainsFunc([]string{"/.dockerenv", "/run/.containerenv"}, func(mark string) bool {
		_, err := os.Stat(u.root + mark)
		return err == nil
	})
}

// ofDebian reports whether the program is a file of an installed Debian package.
func (u *upgrader) ofDebian() bool {
	list, err := os.ReadFile(u.root + "/var/lib/dpkg/info/usher.list")
	return err == nil && strings.Contains("\n"+string(list), "\n"+u.path+"\n")
}

// within reports whether a path is below a directory.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// checkout returns the directory of the module's source that contains dir; empty if there is none.
func checkout(dir, module string) string {
	for ; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+module+"\n") {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// latestRelease asks an address for the latest release: a JSON object with version, or tag_name as GitHub has it.
func latestRelease(ctx context.Context, address string) (string, error) {
	failed := func(err error) error {
		var inner *url.Error
		if errors.As(err, &inner) { // its text has the address, which may contain a key
			err = inner.Err
		}
		return api.Errorf(api.ExtractFailed, "ask %s for the latest release: %w", releasesVariable, err).
			WithHint("It has to be the address of a JSON object with version or tag_name; unset it to ask nothing.")
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", failed(err)
	}
	client := &http.Client{}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return "", failed(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 4<<20))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the answer is %s", res.Status)
	}
	var answer struct {
		Version string `json:"version"`
		Tag     string `json:"tag_name"`
	}
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err == nil && answer.Version == "" && answer.Tag == "" {
		err = fmt.Errorf("the answer has neither version nor tag_name")
	}
	latest := strings.TrimPrefix(cmp.Or(answer.Version, answer.Tag), "v")
	if err == nil && !isRelease(latest) {
		err = fmt.Errorf("it names the version %.60q, which is none", latest)
	}
	if err != nil {
		return "", failed(err)
	}
	return latest, nil
}

// isRelease reports whether a name may be the version or tag of a release.
func isRelease(name string) bool {
	return regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+_/-]{0,99}$`).MatchString(name)
}

// compareVersions compares two semantic versions; a pre-release is older than its release. known is false if either is
// not a version.
func compareVersions(a, b string) (order int, known bool) {
	pattern := regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?(\+.*)?$`)
	x, y := pattern.FindStringSubmatch(a), pattern.FindStringSubmatch(b)
	if x == nil || y == nil {
		return 0, false
	}
	for i := 1; i <= 3; i++ {
		m, errM := strconv.Atoi(x[i])
		n, errN := strconv.Atoi(y[i])
		switch {
		case errM != nil || errN != nil:
			return 0, false
		case m != n:
			return m - n, true
		}
	}
	switch {
	case x[4] == y[4]:
		return 0, true
	case x[4] == "":
		return 1, true
	case y[4] == "":
		return -1, true
	}
	return 0, false // two pre-releases of one release
}
