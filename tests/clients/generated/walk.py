"""Calls of the generated Python client: see ../openapi_generator_walk.sh."""

import sys

import fennec_client
from fennec_client.exceptions import NotFoundException

address, token, name, path = sys.argv[1:]
configuration = fennec_client.Configuration(host=address, api_key={"privateToken": token})
with fennec_client.ApiClient(configuration) as client:
    version = fennec_client.MetadataApi(client).metadata_version()
    body = fennec_client.ProjectsCreateBody(name=name, initialize_with_readme=True)
    project = fennec_client.ProjectsApi(client).projects_create(body)
    branches = fennec_client.BranchesApi(client)
    for id in (str(project.id), project.path_with_namespace):
        assert len(branches.branches_list(id)) == 1
    upload = fennec_client.UploadsApi(client).project_uploads_create(project.path_with_namespace, path)
    try:
        branches.branches_get(project.path_with_namespace, "none")
        raise SystemExit("no 404")
    except NotFoundException as error:
        assert error.status == 404
    print("python:", version.version, project.path_with_namespace, upload.markdown)
