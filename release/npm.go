package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The npm package is the launcher with one optional dependency for each platform, of which npm installs the one that fits. Where its
// script may run, it puts the program itself in the place of the launcher, so that a command costs no start of Node.

//go:embed files/launcher.js
var launcher []byte

//go:embed files/install.js
var installer []byte

// npmName is the package that people install; those of the platforms stand in a scope.
const npmName = "usher-browser"

// npmPlatform is a platform in npm's words.
func (p platform) npm() (system, cpu string) {
	system, cpu = p.os, p.arch
	if system == "windows" {
		system = "win32"
	}
	if cpu == "amd64" {
		cpu = "x64"
	}
	return system, cpu
}

func (p platform) npmPackage() string {
	system, cpu := p.npm()
	return "@" + npmName + "/" + system + "-" + cpu
}

// npmFile is where a platform's package is written.
func (r *release) npmFile(p platform) string {
	system, cpu := p.npm()
	return "npm/" + npmName + "-" + system + "-" + cpu + "-" + r.version + ".tgz"
}

func (r *release) npmMain() string { return "npm/" + npmName + "-" + r.version + ".tgz" }

// manifest is the package.json of a package.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Homepage     string            `json:"homepage"`
	Repository   string            `json:"repository"`
	Bin          map[string]string `json:"bin,omitzero"`
	Scripts      map[string]string `json:"scripts,omitzero"`
	OS           []string          `json:"os,omitzero"`
	CPU          []string          `json:"cpu,omitzero"`
	Engines      map[string]string `json:"engines,omitzero"`
	Optional     map[string]string `json:"optionalDependencies,omitzero"`
	PreferUnplug bool              `json:"preferUnplugged,omitzero"`
}

func (r *release) manifest(name, description string) manifest {
	return manifest{Name: name, Version: r.version, Description: description, License: "Apache-2.0", Homepage: homepage, Repository: homepage,
		PreferUnplug: true}
}

// npm writes the packages.
func (r *release) npm() error {
	license, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return fmt.Errorf("read the license: %w", err)
	}
	readme, err := os.ReadFile(filepath.Join(r.source, "README.md"))
	if err != nil {
		return fmt.Errorf("read the readme: %w", err)
	}
	main := r.manifest(npmName, summary)
	main.Bin, main.Scripts = map[string]string{"usher": "bin/usher"}, map[string]string{"postinstall": "node install.js"}
	main.Engines, main.Optional = map[string]string{"node": ">=18"}, map[string]string{}
	for _, p := range platforms {
		main.Optional[p.npmPackage()] = r.version
		own := r.manifest(p.npmPackage(), "The program of "+npmName+" for "+p.os+" on "+p.arch)
		system, cpu := p.npm()
		own.OS, own.CPU = []string{system}, []string{cpu}
		program, err := os.ReadFile(r.binary(p))
		if err != nil {
			return fmt.Errorf("read the program for %s: %w", p, err)
		}
		if err := r.npmPack(r.npmFile(p), own, file{"bin/" + p.program(), 0o755, program}, file{"LICENSE", 0o644, license}); err != nil {
			return err
		}
	}
	return r.npmPack(r.npmMain(), main, file{"bin/usher", 0o755, launcher}, file{"install.js", 0o644, installer},
		file{"README.md", 0o644, readme}, file{"LICENSE", 0o644, license})
}

func (r *release) npmPack(name string, m manifest, all ...file) error {
	text, err := json.Marshal(m, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write package.json of %s: %w", m.Name, err)
	}
	all = append([]file{{"package.json", 0o644, append(text, '\n')}}, all...)
	for i := range all {
		all[i].name = "package/" + all[i].name
	}
	data, err := packed(all, false, r.stamp)
	if err != nil {
		return fmt.Errorf("pack %s: %w", m.Name, err)
	}
	return r.write(name, data)
}
