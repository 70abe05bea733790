package agenttool

import (
	"os"
	"strings"

	"github.com/usher-browser/usher/internal/session/agenttool/artifact"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// files sets the members about files.
func (c *call) files(files []result.Artifact) {
	d := c.details
	d.Artifacts, d.ArtifactVerification = files, artifact.Verify(files)
	for _, a := range files {
		switch {
		case a.Inline && a.Exists:
			d.ImagePaths = append(d.ImagePaths, a.AbsolutePath)
			c.image(a)
		case a.Exists && (a.Kind == "download" || a.Kind == "pdf"):
			d.SavedFile, d.SavedFilePath = &result.SavedFile{Command: a.Command, Kind: a.Kind, Path: a.AbsolutePath}, a.AbsolutePath
		}
	}
	if len(d.ImagePaths) > 0 {
		d.ImagePath = d.ImagePaths[0]
	}
	c.agent.mu.Lock()
	defer c.agent.mu.Unlock()
	c.agent.files.Add(files)
	c.agent.files.Report(d)
	for _, s := range c.steps {
		if s.Status == step.Completed && s.Name() == "close" {
			d.ArtifactCleanup = c.agent.files.Cleanup()
		}
	}
}

// maxImage is the greatest picture that is part of a result, in bytes.
const maxImage = 5 << 20

// image adds a picture to the content.
func (c *call) image(a result.Artifact) {
	if a.SizeBytes > maxImage || !strings.HasPrefix(a.MediaType, "image/") {
		return
	}
	if raw, err := os.ReadFile(a.AbsolutePath); err == nil {
		c.images = append(c.images, result.Content{Type: "image", Data: raw, MIMEType: a.MediaType})
	}
}
