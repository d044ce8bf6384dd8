// Calls of the generated Go client: see ../openapi_generator_walk.sh.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	fennec "github.com/fennec/fennec"
)

func check(err error, what string) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "go:", what, err)
		os.Exit(1)
	}
}

func main() {
	address, token, name := os.Args[1], os.Args[2], os.Args[3]
	configuration := fennec.NewConfiguration()
	configuration.Servers = fennec.ServerConfigurations{{URL: address}}
	client := fennec.NewAPIClient(configuration)
	keys := map[string]fennec.APIKey{"privateToken": {Key: token}}
	ctx := context.WithValue(context.Background(), fennec.ContextAPIKeys, keys)

	version, _, err := client.MetadataAPI.MetadataVersion(ctx).Execute()
	check(err, "version")
	body := *fennec.NewProjectsCreateBody()
	body.SetName(name)
	body.SetInitializeWithReadme(true)
	project, _, err := client.ProjectsAPI.ProjectsCreate(ctx).ProjectsCreateBody(body).Execute()
	check(err, "create a project")
	for _, id := range []string{fmt.Sprint(project.Id), project.PathWithNamespace} {
		branches, _, err := client.BranchesAPI.BranchesList(ctx, id).Execute()
		check(err, "list branches")
		if len(branches) != 1 {
			check(fmt.Errorf("%d branches", len(branches)), "list branches")
		}
	}
	file, err := os.Open(os.Args[4])
	check(err, "open")
	upload, _, err := client.UploadsAPI.ProjectUploadsCreate(ctx, project.PathWithNamespace).File(file).Execute()
	check(err, "upload")
	_, response, err := client.BranchesAPI.BranchesGet(ctx, project.PathWithNamespace, "none").Execute()
	if err == nil || response.StatusCode != http.StatusNotFound {
		check(fmt.Errorf("no 404"), "read a branch that does not exist")
	}
	fmt.Println("go:", version.Version, project.PathWithNamespace, upload.Markdown)
}
