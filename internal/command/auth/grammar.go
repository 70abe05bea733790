package auth

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands about saved logins.
func grammar() verb.Set {
	name := []verb.Arg{{Name: "name", Kind: verb.Name, Required: true, Doc: "the name of the login"}}
	selectors := []verb.Flag{
		{Name: "username-selector", Kind: verb.String, Value: "css", Doc: "the field for the user name"},
		{Name: "password-selector", Kind: verb.String, Value: "css", Doc: "the field for the password"},
		{Name: "submit-selector", Kind: verb.String, Value: "css", Doc: "the button that sends the form"},
	}
	checks := []verb.Flag{
		{Name: "check-url", Kind: verb.String, Value: "glob", Doc: "the login worked when the address matches"},
		{Name: "check-text", Kind: verb.String, Value: "text", Doc: "the login worked when the page contains this text"},
	}
	save := append([]verb.Flag{
		{Name: "url", Kind: verb.URL, Value: "url", Doc: "the address of the login page"},
		{Name: "username", Kind: verb.String, Value: "name", Doc: "the user name"},
		{Name: "password", Kind: verb.String, Value: "text", Doc: "the password; other users of the machine may see it in the list of processes"},
		{Name: "password-stdin", Kind: verb.Bool, Doc: "read the password from standard input"},
		{Name: "totp-secret", Kind: verb.String, Value: "base32", Doc: "the secret of one-time codes (TOTP), or an otpauth:// address"},
	}, append(selectors, checks...)...)
	login := append([]verb.Flag{
		{Name: "no-navigate", Kind: verb.Bool, Doc: "log in on the page that is open; its origin has to be that of the login"},
		{Name: "url", Kind: verb.URL, Value: "url", Doc: "another address of the login page, of the same site"},
		{Name: "credential-provider", Kind: verb.PluginName, Value: "plugin", Doc: "get user name, password and one-time code from this plugin (help plugin); nothing of it is saved"},
		{Name: "item", Value: "ref", Raw: true, Doc: "which item of the plugin's vault"},
	}, append(selectors, checks...)...)
	const group, category = verb.GroupState, verb.CatState
	return verb.Set{Families: []verb.Family{{Name: "auth", Summary: "save logins, and log in with them"}}, Verbs: []verb.Verb{
		{Name: "auth save", Summary: "save a login in the auth vault",
			Help: "The vault is encrypted with AES-256-GCM. Its key is USHER_ENCRYPTION_KEY, that of the keyring (--state-encryption keyring), or in\n" +
				"a file of usher's home. A login of the same name is replaced.",
			Args: name, Flags: save, Examples: []string{"auth save shop --url https://shop.example/login --username ada --password-stdin"},
			Next: []string{"auth login shop"}, Group: group, Category: category, Marks: verb.ReadsStdin},
		{Name: "auth login", Summary: "log in with a saved login",
			Help: "Opens the login page, enters user name, password and a one-time code if asked, and waits for the proof: the check that was given,\n" +
				"or that the form is gone. Credentials are entered only on the site of the saved address; forms in frames of that site are found,\n" +
				"too. With --credential-provider that is the address that is saved under the name, else the plugin's, else --url.",
			Args: name, Flags: login, Capability: verb.CredentialRead, Check: loginRules, Examples: []string{"auth login shop", "auth login shop --credential-provider vault --item 'My shop'", "auth login shop --no-navigate", "auth login shop --check-url '**/account'"},
			Next: []string{"snapshot -i"}, Group: group, Category: verb.CatFill, Marks: verb.Starts | verb.ChangesPage | verb.InvalidatesRefs},
		{Name: "auth list", Summary: "list the saved logins", Examples: []string{"auth list"}, Group: group, Category: category},
		{Name: "auth show", Summary: "show a saved login, without its secrets", Args: name, Examples: []string{"auth show shop"}, Group: group, Category: category},
		{Name: "auth delete", Synonyms: []string{"auth remove"}, Summary: "delete a saved login", Args: name, Examples: []string{"auth delete shop"}, Group: group, Category: category},
	}}
}

// loginRules checks which flags of `auth login` go together.
func loginRules(c *verb.Call) *verb.Error {
	if c.Has("item") && !c.Has("credential-provider") {
		return verb.Invalid("--item is the item of a plugin's vault, and --credential-provider is not given", "Give --credential-provider, or omit --item.")
	}
	return nil
}
