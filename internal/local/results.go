package local

import (
	"reflect"

	"github.com/usher-browser/usher/internal/local/doctor"
	"github.com/usher-browser/usher/internal/replay"
)

// SessionName is the result of `session`.
type SessionName struct {
	Session string `json:"session"` // the name in force
}

// SessionID is the result of `session id`.
type SessionID struct {
	Session string `json:"session"` // the name that belongs to the directory
	Scope   string `json:"scope"`   // cwd, worktree or git-root
	Path    string `json:"path"`    // the directory, with symbolic links resolved
	Hash    string `json:"hash"`    // 12 hexadecimal digits of the SHA-256 of the path
}

// ResultTypes returns the types of the data of the local commands, by name.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"session": reflect.TypeFor[SessionName](), "session id": reflect.TypeFor[SessionID](), "doctor": reflect.TypeFor[*doctor.Report](),
		"skills list": reflect.TypeFor[[]SkillName](), "skills get": reflect.TypeFor[[]SkillText](), "skills path": reflect.TypeFor[SkillPlace](),
		"upgrade": reflect.TypeFor[Upgraded](), "install": reflect.TypeFor[installed](), "profiles": reflect.TypeFor[Profile](), "replay": reflect.TypeFor[*replay.Shown](),
		"extension install": reflect.TypeFor[ExtensionWritten](), "extension path": reflect.TypeFor[ExtensionPlace](),
	}
}
