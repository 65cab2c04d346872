package e2e

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// An object is one of Kubernetes, as its manifest has it.
type object map[string]any

// at returns what is at a path of keys, or nil.
func (o object) at(path ...string) any {
	var value any = map[string]any(o)
	for _, key := range path {
		inner, _ := value.(map[string]any)
		value = inner[key]
	}
	return value
}

// list returns the objects of a list at a path.
func (o object) list(path ...string) (all []object) {
	values, _ := o.at(path...).([]any)
	for _, value := range values {
		if inner, ok := value.(map[string]any); ok {
			all = append(all, inner)
		}
	}
	return all
}

// named returns the object of a list that has a name.
func named(all []object, name string) object {
	for _, o := range all {
		if o["name"] == name {
			return o
		}
	}
	return nil
}

// readManifests returns the objects in the manifests, by kind and name, with those
// of a file's examples too.
func readManifests(t *testing.T) map[string]object {
	t.Helper()
	files, err := filepath.Glob("../../../packaging/kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]object)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
			var decoded map[string]any
			if err := decoder.Decode(&decoded); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			o := object(decoded)
			kind, _ := o["kind"].(string)
			name, _ := o.at("metadata", "name").(string)
			if kind == "" || o["apiVersion"] == nil || kind != "Kustomization" && name == "" {
				t.Errorf("%s: an object without kind, version or name", file)
			}
			if o.at("metadata", "namespace") != nil {
				t.Errorf("%s: a namespace is named, which is the cluster's to choose", file)
			}
			all[kind+"/"+name] = o
		}
	}
	return all
}

// TestKubernetes checks what the manifests say of safety, and that what they name is
// there: volumes, ports, paths and settings.
func TestKubernetes(t *testing.T) {
	all := readManifests(t)
	for _, name := range []string{"Deployment/citekit", "Service/citekit", "ConfigMap/citekit", "Secret/citekit", "NetworkPolicy/citekit",
		"Ingress/citekit", "PersistentVolumeClaim/citekit-state", "PersistentVolumeClaim/citekit-workspaces", "Kustomization/"} {
		if all[name] == nil {
			t.Fatalf("there is no %s", name)
		}
	}
	pod := object(all["Deployment/citekit"].at("spec", "template", "spec").(map[string]any))
	server := named(pod.list("containers"), "citekit")
	if server == nil {
		t.Fatal("no container citekit")
	}
	for _, check := range []struct {
		of   object
		path string
		want any
	}{
		{pod, "automountServiceAccountToken", false},
		{pod, "securityContext runAsNonRoot", true},
		{pod, "securityContext runAsUser", 65532},
		{pod, "securityContext fsGroup", 65532},
		{pod, "securityContext fsGroupChangePolicy", "OnRootMismatch"},
		{pod, "securityContext seccompProfile type", "RuntimeDefault"},
		{server, "securityContext allowPrivilegeEscalation", false},
		{server, "securityContext readOnlyRootFilesystem", true},
		{server, "livenessProbe httpGet path", "/healthz"},
		{server, "readinessProbe httpGet path", "/readyz"},
		{server, "startupProbe httpGet path", "/healthz"},
		{server, "livenessProbe httpGet port", "http"},
		{server, "readinessProbe httpGet port", "http"},
	} {
		if got := check.of.at(strings.Fields(check.path)...); got != check.want {
			t.Errorf("%s is %v, want %v", check.path, got, check.want)
		}
	}
	if drop, _ := server.at("securityContext", "capabilities", "drop").([]any); !slices.Contains(drop, any("ALL")) {
		t.Errorf("capabilities that are dropped: %v", drop)
	}
	for _, path := range [][]string{{"requests", "cpu"}, {"requests", "memory"}, {"limits", "memory"}} {
		if server.at(append([]string{"resources"}, path...)...) == nil {
			t.Errorf("resources have no %v", path)
		}
	}
	checkSettings(t, all, server)
	checkMounts(t, all, pod, server)
	checkPorts(t, all, server)
}

// checkSettings checks that the settings fit what the manifests around them say: the
// host and the bodies of the ingress, and the memory of the container.
func checkSettings(t *testing.T, all map[string]object, server object) {
	t.Helper()
	var settings struct {
		Hosts  []string
		URL    string `yaml:"public_url"`
		Limits struct {
			Heavy int64 `yaml:"heavy_calls"`
		}
	}
	text, _ := all["ConfigMap/citekit"].at("data", "citekit.yaml").(string)
	if err := yaml.Unmarshal([]byte(text), &settings); err != nil {
		t.Fatal(err)
	}
	rules := all["Ingress/citekit"].list("spec", "rules")
	if len(rules) != 1 || len(settings.Hosts) != 1 || rules[0]["host"] != settings.Hosts[0] || settings.URL != "https://"+settings.Hosts[0] {
		t.Errorf("hosts %q, public_url %q, and the rules of the ingress %v", settings.Hosts, settings.URL, rules)
	}
	if size := all["Ingress/citekit"].at("metadata", "annotations", "nginx.ingress.kubernetes.io/proxy-body-size"); size != "4m" {
		t.Errorf("the ingress takes bodies of %v", size)
	}
	const mega = 1_000_000
	goLimit, _ := named(server.list("env"), "GOMEMLIMIT")["value"].(string)
	limit, err := strconv.ParseInt(strings.TrimSuffix(goLimit, "MiB"), 10, 64)
	if need := 512*mega + settings.Limits.Heavy*100*mega; err != nil || settings.Limits.Heavy < 1 || need > limit<<20 {
		t.Errorf("heavy_calls %d need %d bytes, and GOMEMLIMIT is %s", settings.Limits.Heavy, need, goLimit)
	}
}

// TestKubernetesSetup checks that the pod for the first key and the files mounts the
// volumes of the server, at the same paths and as the same user, and gets no calls.
func TestKubernetesSetup(t *testing.T) {
	all := readManifests(t)
	pod, server := all["Pod/citekit-setup"], all["Deployment/citekit"]
	if pod == nil {
		t.Fatal("there is no Pod/citekit-setup")
	}
	if pod.at("metadata", "labels") != nil {
		t.Error("it has labels, by which the service may find it")
	}
	ofServer := object(server.at("spec", "template", "spec").(map[string]any))
	if got, want := pod.at("spec", "securityContext"), ofServer["securityContext"]; !reflect.DeepEqual(got, want) {
		t.Errorf("its user: %v, want %v", got, want)
	}
	mounts := make(map[any]any)
	for _, mount := range named(ofServer.list("containers"), "citekit").list("volumeMounts") {
		mounts[mount["name"]] = mount["mountPath"]
	}
	for _, container := range pod.list("spec", "containers") {
		for _, mount := range container.list("volumeMounts") {
			if mounts[mount["name"]] != mount["mountPath"] {
				t.Errorf("%v: %v is at %v, want %v", container["name"], mount["name"], mount["mountPath"], mounts[mount["name"]])
			}
			volume, shared := named(pod.list("spec", "volumes"), mount["name"].(string)), named(ofServer.list("volumes"), mount["name"].(string))
			if volume == nil || !reflect.DeepEqual(volume["persistentVolumeClaim"], shared["persistentVolumeClaim"]) {
				t.Errorf("volume %v is %v, want %v", mount["name"], volume, shared)
			}
		}
	}
}

// checkMounts checks that each volume is one, and that the folders that the image
// needs to write are volumes.
func checkMounts(t *testing.T, all map[string]object, pod, server object) {
	t.Helper()
	mounted := make(map[string]bool)
	for _, mount := range server.list("volumeMounts") {
		name, _ := mount["name"].(string)
		path, _ := mount["mountPath"].(string)
		mounted[path] = mount["readOnly"] != true
		volume := named(pod.list("volumes"), name)
		claim, _ := volume.at("persistentVolumeClaim", "claimName").(string)
		config, _ := volume.at("configMap", "name").(string)
		switch {
		case volume == nil:
			t.Errorf("no volume %s", name)
		case claim != "" && all["PersistentVolumeClaim/"+claim] == nil:
			t.Errorf("no claim %s", claim)
		case config != "" && all["ConfigMap/"+config] == nil:
			t.Errorf("no ConfigMap %s", config)
		}
	}
	for _, s := range readDockerfile(t) {
		if s.name != "citekit" {
			continue
		}
		volumes, err := s.all("VOLUME")[0].list()
		if err != nil {
			t.Fatal(err)
		}
		for _, volume := range append(volumes, "/tmp") {
			if !mounted[volume] {
				t.Errorf("%s is not a volume that can be written", volume)
			}
		}
	}
	if writable, ok := mounted["/etc/citekit"]; !ok || writable {
		t.Error("the settings are not mounted read-only")
	}
}

// checkPorts checks that the ports of the settings, the container, the service, the
// policy and the ingress are the same.
func checkPorts(t *testing.T, all map[string]object, server object) {
	t.Helper()
	ports := make(map[any]any)
	for _, port := range server.list("ports") {
		ports[port["name"]] = port["containerPort"]
	}
	if ports["http"] != 8808 || ports["metrics"] != 9808 {
		t.Errorf("ports %v", ports)
	}
	for _, port := range all["Service/citekit"].list("spec", "ports") {
		if ports[port["targetPort"]] == nil {
			t.Errorf("the service leads to %v", port["targetPort"])
		}
	}
	for _, rule := range all["NetworkPolicy/citekit"].list("spec", "ingress") {
		for _, port := range rule.list("ports") {
			if ports[port["port"]] == nil {
				t.Errorf("the policy allows %v", port["port"])
			}
		}
	}
	for _, rule := range all["Ingress/citekit"].list("spec", "rules") {
		for _, path := range rule.list("http", "paths") {
			if path.at("backend", "service", "name") != "citekit" || path.at("backend", "service", "port", "name") != "http" {
				t.Errorf("the ingress leads to %v", path["backend"])
			}
		}
	}
}

// TestPackagedSettings has the command check each file of settings that comes with
// the packages, and the arguments that start a server with them.
func TestPackagedSettings(t *testing.T) {
	bin, all := scratchBinary(t), readManifests(t)
	inMap, _ := all["ConfigMap/citekit"].at("data", "citekit.yaml").(string)
	config := filepath.Join(t.TempDir(), "citekit.yaml")
	writeFile(t, config, []byte(inMap))
	for _, file := range []string{config, "../../../packaging/citekit.yaml", "../../../packaging/docker/citekit.yaml", "../../../packaging/systemd/citekit.yaml"} {
		output(t, bin, "config", "--check", "--config", file)
	}
	for _, args := range startedWith(t, all) {
		if !slices.Equal(args, []string{"serve", "--config", "/etc/citekit/citekit.yaml"}) {
			t.Errorf("a server is started with %q", args)
		}
	}
	output(t, bin, "serve", "--config", config, "--help")
}

// startedWith returns the arguments that each package starts the command with.
func startedWith(t *testing.T, all map[string]object) (started [][]string) {
	t.Helper()
	for _, s := range readDockerfile(t) {
		for _, cmd := range s.all("CMD") {
			args, err := cmd.list()
			if err != nil {
				t.Fatal(err)
			}
			started = append(started, args)
		}
	}
	var args []string
	for _, arg := range named(all["Deployment/citekit"].list("spec", "template", "spec", "containers"), "citekit")["args"].([]any) {
		args = append(args, arg.(string))
	}
	unit, err := os.ReadFile("../../../packaging/systemd/citekit.service")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(unit), "\nExecStart=")
	line, _, _ = strings.Cut(line, "\n")
	return append(started, args, strings.Fields(line)[1:])
}

// TestCompose checks that the container of the example can write nothing but its
// volumes, and that no other machine reaches it without a proxy.
func TestCompose(t *testing.T) {
	data, err := os.ReadFile("../../../packaging/docker/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var decoded map[string]any
	if err := yaml.Unmarshal(data, &decoded); err != nil {
		t.Fatal(err)
	}
	o := object(decoded)
	service := object(o.at("services", "citekit").(map[string]any))
	if service["read_only"] != true || service["user"] != "65532:65532" {
		t.Errorf("read_only %v, user %v", service["read_only"], service["user"])
	}
	for _, list := range []struct {
		name, want string
	}{{"cap_drop", "ALL"}, {"security_opt", "no-new-privileges:true"}, {"ports", "127.0.0.1:8808:8808"}, {"volumes", "state:/var/lib/citekit"}} {
		if values, _ := service.at(list.name).([]any); !slices.Contains(values, any(list.want)) {
			t.Errorf("%s is %v, without %s", list.name, values, list.want)
		}
	}
	file, _ := service.at("build", "dockerfile").(string)
	context, _ := service.at("build", "context").(string)
	if _, err := os.Stat(filepath.Join("../../../packaging/docker", context, file)); err != nil {
		t.Error(err)
	}
}
