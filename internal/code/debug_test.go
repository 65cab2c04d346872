package code_test
import ("testing";"os";"github.com/citekit/citekit/internal/code")
func TestDebug(t *testing.T){ f:=os.Getenv("DBG"); if f=="" {t.Skip()}; b,_:=os.ReadFile(f); for _,d:=range flatten(t, code.Language(os.Getenv("DBGL")), b){ t.Log(d)} }
