package main

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/caarlos0/env/v11"
)

// variable names the variable of a field of config.
func variable(field string) string {
	f, _ := reflect.TypeFor[config]().FieldByName(field)
	return prefix + f.Tag.Get("env")
}

// printConfig lists every setting. It lists them also when a value is bad: that is
// when somebody looks. Values of headers are never shown.
func printConfig(environ []string, out io.Writer) error {
	vars := env.ToMap(environ)
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0) // Flush reports what could not be written
	_, _ = fmt.Fprintln(w, "VARIABLE\tVALUE\tDEFAULT\tMEANING")
	for f := range reflect.TypeFor[config]().Fields() {
		name := f.Tag.Get("env")
		if name == "" {
			continue
		}
		def := f.Tag.Get("envDefault")
		value, set := vars[prefix+name]
		if !set {
			value = def
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", prefix+name, maskUserinfo(value), def, f.Tag.Get("desc"))
	}
	_, _ = fmt.Fprintf(w, "%sAGENT_<NAME>_HEADERS\t%s\t\t%s\n", prefix, setHeaders(vars), "headers added to the requests of that agent, comma-separated Name: value")
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := loadConfig(environ); err != nil {
		return fmt.Errorf("this configuration would not start: %w", err)
	}
	return nil
}

// userinfo is the name and password that a URL may hold.
var userinfo = regexp.MustCompile(`://[^/@,\s]*@`)

func maskUserinfo(value string) string { return userinfo.ReplaceAllString(value, "://*****@") }

func setHeaders(vars map[string]string) string {
	var set []string
	for name := range vars {
		if strings.HasPrefix(name, prefix+"AGENT_") && strings.HasSuffix(name, "_HEADERS") {
			set = append(set, strings.TrimPrefix(name, prefix)+"=*****")
		}
	}
	slices.Sort(set)
	return strings.Join(set, " ")
}
