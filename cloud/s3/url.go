package s3

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// parameters are what the query of a URL may have.
var parameters = []string{"credentials", "endpoint", "path_style", "profile", "region"}

// A place is what a URL says.
type place struct {
	bucket, prefix string // the prefix ends with "/", or is ""
	host           string // of the server, with its port if it has one
	secure         bool
	region         string
	lookup         minio.BucketLookupType
	file, profile  string // of the credentials; "" means what is usual
}

// parse reads a URL. Its errors do not repeat what may be a secret.
func parse(raw string) (place, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return place{}, errors.New("the URL of the bucket is not valid; write s3://BUCKET/PREFIX?endpoint=HOST&region=REGION")
	case u.Scheme != "s3" || u.Host == "" || u.Opaque != "" || u.Fragment != "":
		return place{}, errors.New("the URL of the bucket must be like s3://BUCKET/PREFIX?endpoint=HOST&region=REGION")
	case u.User != nil:
		return place{}, errors.New("the URL of the bucket has a user or a password; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give a file by credentials=FILE")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return place{}, errors.New("the query of the bucket's URL is not valid")
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(parameters, key) {
			return place{}, fmt.Errorf("the bucket's URL has the parameter %.40q; it may have %s", key, strings.Join(parameters, ", "))
		}
	}
	p := place{bucket: u.Host, file: query.Get("credentials"), profile: query.Get("profile")}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		p.prefix = prefix + "/"
	}
	if err := p.setServer(query); err != nil {
		return place{}, err
	}
	return p, p.setLookup(query.Get("path_style"))
}

// setServer reads where the server is: from the URL, else from the environment, else
// it is that of AWS.
func (p *place) setServer(query url.Values) error {
	endpoint := first(query.Get("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"))
	p.region = first(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	if endpoint == "" {
		p.host, p.secure = "s3.amazonaws.com", true
		return nil
	}
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("the endpoint of the bucket must be a host, or like https://HOST:PORT")
	}
	p.host, p.secure = u.Host, u.Scheme == "https"
	p.region = first(p.region, "us-east-1")
	return nil
}

func (p *place) setLookup(pathStyle string) error {
	if pathStyle == "" {
		return nil // minio.BucketLookupAuto: names of hosts for AWS alone
	}
	inPath, err := strconv.ParseBool(pathStyle)
	if err != nil {
		return errors.New("path_style of the bucket's URL must be true or false")
	}
	p.lookup = minio.BucketLookupDNS
	if inPath {
		p.lookup = minio.BucketLookupPath
	}
	return nil
}

func first(values ...string) string {
	i := slices.IndexFunc(values, func(v string) bool { return v != "" })
	if i < 0 {
		return ""
	}
	return values[i]
}

// provided are variables that say where a platform provides credentials.
var provided = []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"}

// credentials returns where keys come from: the file of the URL, else the environment,
// else the files of the person's AWS tools, else what the platform provides. It is an
// error if there are none.
func (p place) credentials() (*credentials.Credentials, error) {
	if p.file != "" && !filepath.IsAbs(p.file) {
		return nil, errors.New("the credentials of the bucket's URL must be the absolute path of a file")
	}
	file := &credentials.FileAWSCredentials{Filename: p.file, Profile: p.profile}
	providers := []credentials.Provider{file}
	if p.file == "" && p.profile == "" {
		providers = []credentials.Provider{&credentials.EnvAWS{}, file}
	}
	if p.file == "" && slices.ContainsFunc(provided, func(name string) bool { return os.Getenv(name) != "" }) {
		return credentials.NewChainCredentials(append(providers, &credentials.IAM{})), nil
	}
	c := credentials.NewChainCredentials(providers)
	keys, err := c.GetWithContext(nil)
	switch {
	case err == nil && keys.AccessKeyID != "" && keys.SecretAccessKey != "":
		return c, nil
	case p.file != "" || p.profile != "":
		return nil, errors.New("the credentials file has no keys of the profile that is asked for")
	}
	return nil, errors.New("no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials")
}
