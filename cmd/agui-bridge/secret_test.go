package main

import (
	"bytes"
	"strings"
	"testing"
)

// What is planted as a secret is in no output and in no error.
func TestSecretsAreNeverShown(t *testing.T) {
	const planted = "s3cret"
	for _, vars := range [][]string{
		{"AGENTS=a=agui+http://u:" + planted + "@x"},
		{"AGENTS=a=agui+ftp://u:" + planted + "@x"},
		{"AGENTS=a=agui+http://x", "AGENT_A_HEADERS=Authorization: " + planted},
		{"AGENTS=a=agui+http://x", "AGENT_A_HEADERS=X(Y: " + planted},
	} {
		var out bytes.Buffer
		err := printConfig(environ(vars...), &out)
		if strings.Contains(out.String(), planted) || err != nil && strings.Contains(err.Error(), planted) {
			t.Errorf("%v: shown in %s %v", vars, &out, err)
		}
	}
}

// Two agents never share the headers, and so the secrets, of one of them.
func TestAgentsThatWouldShareHeadersAreRefused(t *testing.T) {
	_, err := loadConfig(environ("AGENTS=a-b=agui+http://x,a.b=agui+http://y"))
	if err == nil || !strings.Contains(err.Error(), "AGENT_A_B_HEADERS") {
		t.Errorf("want a refusal that names the variable, got %v", err)
	}
}

func TestMoreValuesThatStopTheStart(t *testing.T) {
	for _, v := range []string{"ADDR=127.0.0.1:99999", "ADDR=127.0.0.1:http", "ALLOWED_ORIGINS=ftp://x"} {
		if _, err := loadConfig(environ(v)); err == nil {
			t.Errorf("%s is accepted", v)
		}
	}
	if _, err := loadConfig(environ("ALLOWED_ORIGINS=https://a.example, https://b.example")); err != nil {
		t.Errorf("spaces after commas: %v", err)
	}
}
