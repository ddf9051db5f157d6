// Renders the charts of this repository as `helm template` does and decodes everything strictly into the types of Kubernetes: an
// unknown field, a wrong type or an unknown kind is an error. Plain manifests are decoded the same way.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/strvals"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

// What a chart is rendered with; `fails` is a part of the sentence that it has to refuse these values with.
type variant struct {
	chart  string
	values []string
	fails  string
}

var needed = []string{"image.repository=registry.example.com/candela", "publicUrl=https://candela.example.com"}

func with(more ...string) []string { return append(append([]string{}, needed...), more...) }

var variants = []variant{
	{"deploy/helm/candela", with(), ""},
	{"deploy/helm/candela", with("ingress.enabled=true", "ingress.host=candela.example.com", "ingress.tlsSecret=candela-tls"), ""},
	{"deploy/helm/candela", with("replicas=3", "externalStores=true", "existingSecret=candela"), ""},
	{"deploy/helm/candela", with("replicas=2"), "needs externalStores"},
	{"deploy/helm/opentelemetry-gpu-collector", []string{"image.repository=registry.example.com/collector", "otlp.endpoint=http://candela:4318"}, ""},
	{"deploy/controller/chart", nil, ""},
}

var separator = regexp.MustCompile(`(?m)^---\s*$`)
var comment = regexp.MustCompile(`(?m)^\s*#.*$`)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	failed := false
	complain := func(what string, err error) {
		failed = true
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	}
	documents := 0
	for _, one := range variants {
		name := fmt.Sprintf("%s %s", one.chart, strings.Join(one.values, " "))
		files, err := render(filepath.Join(root, one.chart), one.values)
		if one.fails != "" {
			if err == nil || !strings.Contains(err.Error(), one.fails) {
				complain(name, fmt.Errorf("should be refused with %q, but: %v", one.fails, err))
			}
			continue
		}
		if err != nil {
			complain(name, err)
			continue
		}
		for _, file := range sorted(files) {
			if strings.HasSuffix(file, ".txt") || strings.HasPrefix(filepath.Base(file), "_") {
				continue
			}
			count, err := decode(files[file])
			documents += count
			if err != nil {
				complain(name+" "+file, err)
			}
		}
	}
	manifests, _ := filepath.Glob(filepath.Join(root, "deploy/kubernetes/*.yaml"))
	more, _ := filepath.Glob(filepath.Join(root, "deploy/controller/*.yaml"))
	for _, file := range append(manifests, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			complain(file, err)
			continue
		}
		count, err := decode(string(text))
		documents += count
		if err != nil {
			complain(file, err)
		}
	}
	if failed {
		os.Exit(1)
	}
	fmt.Printf("%d documents are what Kubernetes takes\n", documents)
}

func render(dir string, sets []string) (map[string]string, error) {
	chart, err := loader.Load(dir)
	if err != nil {
		return nil, err
	}
	values := map[string]interface{}{}
	for _, set := range sets {
		if err := strvals.ParseInto(set, values); err != nil {
			return nil, err
		}
	}
	options := chartutil.ReleaseOptions{Name: "obs", Namespace: "observability", IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

func decode(text string) (int, error) {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	count := 0
	for _, document := range separator.Split(text, -1) {
		if strings.TrimSpace(comment.ReplaceAllString(document, "")) == "" {
			continue
		}
		if _, _, err := decoder.Decode([]byte(document), nil, nil); err != nil {
			return count, err
		}
		count++
	}
	return count, nil
}

func sorted(files map[string]string) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
