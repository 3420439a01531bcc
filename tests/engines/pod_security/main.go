// Says which Pods of Jobs and CronJobs break the "restricted" Pod Security Standard, by the code that API servers run:
//
//	pod_security FILE.yaml ...
//
// A line for each: the file, what is forbidden, and why. Exits with 1 if there is one, and prints how many Pods were looked at.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

var between = regexp.MustCompile(`(?m)^---$`)

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// template returns that of a document; nil: it makes no Pods.
func template(text []byte) *core.PodTemplateSpec {
	var job batch.Job
	fail(yaml.Unmarshal(text, &job))
	switch job.Kind {
	case "Job":
		return &job.Spec.Template
	case "CronJob":
		var cron batch.CronJob
		fail(yaml.Unmarshal(text, &cron))
		return &cron.Spec.JobTemplate.Spec.Template
	}
	return nil
}

func main() {
	judge, err := policy.NewEvaluator(policy.DefaultChecks())
	fail(err)
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	pods, bad := 0, 0
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		fail(err)
		for _, document := range between.Split(string(text), -1) {
			t := template([]byte(document))
			if t == nil {
				continue
			}
			pods++
			said := policy.AggregateCheckResults(judge.EvaluatePod(restricted, &t.ObjectMeta, &t.Spec))
			if !said.Allowed {
				bad++
				fmt.Printf("%s: %s\n", filepath.Base(path), said.ForbiddenDetail())
			}
		}
	}
	fmt.Printf("%d Pods, %d not restricted\n", pods, bad)
	if bad > 0 {
		os.Exit(1)
	}
}
