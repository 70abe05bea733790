package script

import "github.com/usher-browser/usher/internal/script/vm"

func child() bool { return vm.Child() }
