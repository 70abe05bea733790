package relay

import (
	"bytes"

	"github.com/usher-browser/usher/internal/wire"
)

// A client that connects asks for the frames of each page, and sends nothing on before it knows them. The relay answers with what the browser
// answered last, as long as nothing has happened since that may have changed it.

// knownTree is the result of the last Page.getFrameTree for a tab.
type knownTree struct {
	payload []byte // nil if it is not known
	moving  int    // commands without a reply that load documents
}

const treeMethod = "Page.getFrameTree"

// loads are the commands that load documents: their replies come before the events about them.
var loads = map[string]bool{
	"Page.navigate": true, "Page.reload": true, "Page.navigateToHistoryEntry": true, "Page.setDocumentContent": true, "Page.stopLoading": true, "Page.crash": true,
}

// leavesTree are the events of the Page domain that leave the frames as they are, and their addresses. Any other may change them.
var leavesTree = map[string]bool{
	"Page.lifecycleEvent": true, "Page.loadEventFired": true, "Page.domContentEventFired": true, "Page.frameStoppedLoading": true, "Page.frameResized": true,
	"Page.javascriptDialogOpening": true, "Page.javascriptDialogClosed": true, "Page.windowOpen": true, "Page.fileChooserOpened": true,
	"Page.screencastFrame": true, "Page.screencastVisibilityChanged": true, "Page.downloadWillBegin": true, "Page.downloadProgress": true,
	"Page.compilationCacheProduced": true, "Page.interstitialShown": true, "Page.interstitialHidden": true,
}

// treeEvent takes an event of the Page domain.
func (k *knownTree) treeEvent(method string) {
	if !leavesTree[method] {
		k.payload = nil
	}
}

// learn takes a reply to Page.getFrameTree.
func (k *knownTree) learn(payload []byte, failed bool) {
	if k.payload = nil; !failed && k.moving == 0 {
		k.payload = bytes.Clone(payload)
	}
}

// single reports whether the page is known to have no frames in it. Of others the tree is asked for each time: their names change without an event.
// So is that of a new tab before its first document, which may have come meanwhile.
func (k *knownTree) single() bool {
	return k.payload != nil && !bytes.Contains(k.payload, []byte(`"childFrames"`)) && !isEmptyPage(k.payload)
}

// tree answers Page.getFrameTree.
func (r *Relay) tree(s *session, cmd wire.Command) {
	d := s.of
	if d.id == "" && d.tree.single() {
		s.tellFrames(d.tree.payload, false)
		payload := s.ownLoader(d.tree.payload)
		s.local(func() { s.client.reply(cmd, payload, false) })
		return
	}
	r.forward(s, cmd, func(payload []byte, failed bool) []byte {
		d.tree.learn(payload, failed)
		s.tellFrames(payload, failed)
		return s.ownLoader(payload)
	})
}

// ownLoader returns a result with the id of the loader that the session was told of before the tab was attached.
func (s *session) ownLoader(payload []byte) []byte {
	if s.loader[0] == "" {
		return payload
	}
	return bytes.ReplaceAll(payload, []byte(s.loader[0]), []byte(s.loader[1]))
}

// load sends a command that loads a document. It returns false if the command was not sent.
func (r *Relay) load(s *session, cmd wire.Command, then func(payload []byte, failed bool) []byte) bool {
	d := s.of
	root := d.tab.root() // a frame of another process may be one of the tree, too
	root.tree.payload = nil
	root.tree.moving++
	sent := r.forward(s, cmd, func(payload []byte, failed bool) []byte {
		root.tree.payload = nil
		root.tree.moving--
		if then != nil {
			payload = then(payload, failed)
		}
		return payload
	})
	if !sent {
		root.tree.moving--
	}
	return sent
}
