package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
)

// Methods of encryption (7.6.5).
const (
	methodNone = iota
	methodRC4
	methodAES128
	methodAES256
)

// A decrypter decrypts the strings and streams of a file.
type decrypter struct {
	key            []byte
	stringMethod   int
	streamMethod   int
	methods        map[Name]int // by the name of the crypt filter
	metadata       bool         // whether metadata streams are encrypted
	encryptDictNum int          // object number of the encryption dictionary, whose strings are not encrypted
}

// openCrypt prepares decryption with the empty user password (7.6).
func (d *Document) openCrypt(f *File) error {
	if d.Trailer["Encrypt"] == nil {
		return nil
	}
	dict, err := d.Dict(f, d.Trailer["Encrypt"])
	if err != nil {
		return err
	}
	if dict == nil {
		return fmt.Errorf("the encryption dictionary is missing: %w", ErrDamaged)
	}
	if dict, err = d.flat(f, dict); err != nil {
		return err
	}
	if filter := dict["Filter"]; filter != Name("Standard") {
		return fmt.Errorf("a security handler other than Standard: %w", ErrEncryption)
	}
	c, err := newDecrypter(dict)
	if err != nil {
		return err
	}
	if ref, ok := d.Trailer["Encrypt"].(Ref); ok {
		c.encryptDictNum = ref.Num
	}
	ids, err := d.Array(f, d.Trailer["ID"])
	if err != nil {
		return err
	}
	var id String
	if len(ids) > 0 {
		id, _ = ids[0].(String)
	}
	if c.key, err = userKey(dict, id, c.metadata); err != nil {
		return err
	}
	d.crypt = c
	d.forget() // drops what was read before decryption
	return nil
}

// flat returns dict with the references in it resolved.
func (d *Document) flat(f *File, dict Dict) (Dict, error) {
	out := make(Dict, len(dict))
	if err := f.Visit(len(dict)); err != nil {
		return nil, err
	}
	for key, o := range dict {
		o, err := d.Resolve(f, o)
		if err != nil {
			return nil, err
		}
		out[key] = o
	}
	return out, nil
}

func newDecrypter(dict Dict) (*decrypter, error) {
	c := &decrypter{metadata: dict["EncryptMetadata"] != false, methods: map[Name]int{"Identity": methodNone}}
	v, _ := dict["V"].(int64)
	switch v {
	case 1, 2:
		c.stringMethod, c.streamMethod = methodRC4, methodRC4
		return c, nil
	case 4, 5:
	default:
		return nil, fmt.Errorf("the encryption algorithm %d: %w", v, ErrEncryption)
	}
	filters, _ := dict["CF"].(Dict)
	for name, o := range filters {
		filter, _ := o.(Dict)
		method, err := cryptMethod(filter["CFM"])
		if err != nil {
			return nil, err
		}
		c.methods[name] = method
	}
	var err error
	if c.stringMethod, err = c.method(dict["StrF"]); err != nil {
		return nil, err
	}
	c.streamMethod, err = c.method(dict["StmF"])
	return c, err
}

func cryptMethod(cfm Object) (int, error) {
	switch cfm {
	case nil, Name("None"):
		return methodNone, nil
	case Name("V2"):
		return methodRC4, nil
	case Name("AESV2"):
		return methodAES128, nil
	case Name("AESV3"):
		return methodAES256, nil
	}
	return 0, fmt.Errorf("an unknown crypt filter: %w", ErrEncryption)
}

func (c *decrypter) method(name Object) (int, error) {
	if name == nil {
		return methodNone, nil
	}
	key, _ := name.(Name)
	method, ok := c.methods[key]
	if !ok {
		return 0, fmt.Errorf("a crypt filter that is not defined: %w", ErrEncryption)
	}
	return method, nil
}

var passwordPadding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// userKey returns the file encryption key for the empty user password, or an
// error matching [ErrPassword] if that is not the password.
func userKey(dict Dict, id String, metadata bool) ([]byte, error) {
	revision, _ := dict["R"].(int64)
	user, _ := dict["U"].(String)
	if revision >= 5 {
		return userKey256(dict, user, revision)
	}
	length := 5
	if bits, ok := dict["Length"].(int64); ok && revision >= 3 {
		length = int(bits / 8)
	}
	if v, _ := dict["V"].(int64); v == 4 {
		length = 16
	}
	if length < 5 || length > 16 || revision < 2 || len(user) < 16 {
		return nil, fmt.Errorf("impossible encryption parameters: %w", ErrDamaged)
	}
	key := legacyKey(dict, id, metadata, int(revision), length)
	if !legacyMatches(key, []byte(user), id, int(revision)) {
		return nil, ErrPassword
	}
	return key, nil
}

// legacyKey is algorithm 2 of 7.6.3.3.
func legacyKey(dict Dict, id String, metadata bool, revision, length int) []byte {
	owner, _ := dict["O"].(String)
	permissions, _ := dict["P"].(int64)
	h := md5.New()
	h.Write(passwordPadding)
	h.Write([]byte(owner[:min(len(owner), 32)]))
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(permissions)))
	h.Write([]byte(id))
	if revision >= 4 && !metadata {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := h.Sum(nil)[:length]
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(key)
			key = sum[:length]
		}
	}
	return key
}

// legacyMatches is algorithm 6 of 7.6.3.4.
func legacyMatches(key, user []byte, id String, revision int) bool {
	if revision == 2 {
		return bytes.Equal(applyRC4(key, passwordPadding), user[:min(32, len(user))])
	}
	sum := md5.Sum(append(bytes.Clone(passwordPadding), id...))
	check := sum[:]
	for i := range byte(20) {
		round := bytes.Clone(key)
		for j := range round {
			round[j] ^= i
		}
		check = applyRC4(round, check)
	}
	return bytes.Equal(check, user[:16])
}

func applyRC4(key, data []byte) []byte {
	out := make([]byte, len(data))
	applyRC4To(key, out, data)
	return out
}

func applyRC4To(key, out, data []byte) error {
	c, err := rc4.NewCipher(key)
	if err == nil {
		c.XORKeyStream(out, data)
	}
	return err
}

// userKey256 is algorithm 2.A of ISO 32000-2, 7.6.4.3.3.
func userKey256(dict Dict, user String, revision int64) ([]byte, error) {
	wrapped, _ := dict["UE"].(String)
	if len(user) < 48 || len(wrapped) < 32 || revision > 6 {
		return nil, fmt.Errorf("impossible encryption parameters: %w", ErrDamaged)
	}
	validation, keySalt := []byte(user[32:40]), []byte(user[40:48])
	if !bytes.Equal(passwordHash(validation, revision), []byte(user[:32])) {
		return nil, ErrPassword
	}
	block, err := aes.NewCipher(passwordHash(keySalt, revision))
	if err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, []byte(wrapped[:32]))
	return key, nil
}

// passwordHash is algorithm 2.B of ISO 32000-2 for the empty password.
func passwordHash(salt []byte, revision int64) []byte {
	sum := sha256.Sum256(salt)
	k := sum[:]
	if revision < 6 {
		return k
	}
	for round := 0; ; round++ {
		data := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(data, data)
		k = hashModulo3(data)
		if round >= 63 && int(data[len(data)-1]) <= round-31 {
			return k[:32]
		}
	}
}

// hashModulo3 hashes with the function that the first 16 bytes, as a number
// modulo 3, choose.
func hashModulo3(data []byte) []byte {
	sum := 0
	for _, c := range data[:16] {
		sum += int(c) // 256 is 1 modulo 3
	}
	switch sum % 3 {
	case 0:
		h := sha256.Sum256(data)
		return h[:]
	case 1:
		h := sha512.Sum384(data)
		return h[:]
	}
	h := sha512.Sum512(data)
	return h[:]
}

// strings decrypts the strings in an object.
func (c *decrypter) strings(o Object, ref Ref) Object {
	if ref.Num == c.encryptDictNum || c.stringMethod == methodNone {
		return o
	}
	return c.stringsBy(c.keyFor(c.stringMethod, ref), o)
}

// stringsBy is strings with the key of the object.
func (c *decrypter) stringsBy(key []byte, o Object) Object {
	switch v := o.(type) {
	case String:
		out, err := decryptBy(c.stringMethod, key, []byte(v))
		if err != nil {
			return v
		}
		return String(out)
	case Array:
		for i := range v {
			v[i] = c.stringsBy(key, v[i])
		}
	case Dict:
		for name := range v {
			v[name] = c.stringsBy(key, v[name])
		}
	}
	return o
}

// stream decrypts the data of a stream.
func (c *decrypter) stream(data []byte, s *Stream) ([]byte, error) {
	method := c.streamMethod
	switch {
	case s.Dict["Type"] == Name("XRef"):
		return data, nil
	case s.Dict["Type"] == Name("Metadata") && !c.metadata:
		return data, nil
	}
	if name, ok := s.cryptFilter(); ok {
		var err error
		if method, err = c.method(name); err != nil {
			return nil, err
		}
	}
	return c.decrypt(data, method, s.ref)
}

// cryptFilter returns the name of the crypt filter of a stream, if that is its first
// filter (7.4.10).
func (s *Stream) cryptFilter() (Name, bool) {
	filter, parms := s.Dict["Filter"], s.Dict["DecodeParms"]
	if list, ok := filter.(Array); ok && len(list) > 0 {
		filter = list[0]
	}
	if filter != Name("Crypt") {
		return "", false
	}
	if list, ok := parms.(Array); ok && len(list) > 0 {
		parms = list[0]
	}
	dict, _ := parms.(Dict)
	if name, ok := dict["Name"].(Name); ok {
		return name, true
	}
	return "Identity", true
}

func (c *decrypter) decrypt(data []byte, method int, ref Ref) ([]byte, error) {
	return decryptBy(method, c.keyFor(method, ref), data)
}

// keyFor returns the key of a method for an object.
func (c *decrypter) keyFor(method int, ref Ref) []byte {
	switch method {
	case methodRC4, methodAES128:
		return c.objectKey(ref, method == methodAES128)
	}
	return c.key
}

// decryptBy decrypts data. It may overwrite data, which the caller must not use
// again.
func decryptBy(method int, key, data []byte) ([]byte, error) {
	switch method {
	case methodRC4:
		return data, applyRC4To(key, data, data)
	case methodAES128, methodAES256:
		return decryptAES(key, data)
	}
	return data, nil
}

// objectKey is algorithm 1 of 7.6.2.
func (c *decrypter) objectKey(ref Ref, isAES bool) []byte {
	data := bytes.Clone(c.key)
	data = append(data, byte(ref.Num), byte(ref.Num>>8), byte(ref.Num>>16), byte(ref.Gen), byte(ref.Gen>>8))
	if isAES {
		data = append(data, "sAlT"...)
	}
	sum := md5.Sum(data)
	return sum[:min(len(c.key)+5, 16)]
}

func decryptAES(key, data []byte) ([]byte, error) {
	if len(data) < aes.BlockSize {
		return nil, nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("impossible encryption key: %w", ErrDamaged)
	}
	vector, data := data[:aes.BlockSize], data[aes.BlockSize:]
	data = data[:len(data)/aes.BlockSize*aes.BlockSize]
	if len(data) == 0 {
		return nil, nil
	}
	cipher.NewCBCDecrypter(block, vector).CryptBlocks(data, data)
	if pad := int(data[len(data)-1]); pad >= 1 && pad <= aes.BlockSize {
		data = data[:len(data)-pad]
	}
	return data, nil
}
