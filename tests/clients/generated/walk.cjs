/** Calls of the generated TypeScript client, compiled: see ../openapi_generator_walk.sh. */
const [, , compiled, address, token, name] = process.argv
const client = require(compiled)

async function walk() {
  const apiKey = (carrier) => (carrier === 'PRIVATE-TOKEN' ? token : undefined)
  const configuration = new client.Configuration({ basePath: address, apiKey })
  const version = await new client.MetadataApi(configuration).metadataVersion()
  const projectsCreateBody = { name, initializeWithReadme: true }
  const project = await new client.ProjectsApi(configuration).projectsCreate({ projectsCreateBody })
  const branches = new client.BranchesApi(configuration)
  for (const id of [String(project.id), project.pathWithNamespace]) {
    const listed = await branches.branchesList({ id })
    if (listed.length !== 1) throw new Error(`${listed.length} branches`)
  }
  const file = new File(['a file'], 'file.txt')
  const id = project.pathWithNamespace
  const upload = await new client.UploadsApi(configuration).projectUploadsCreate({ id, file })
  const missing = await branches.branchesGet({ id, branch: 'none' }).then(
    () => 200,
    (error) => error.response.status,
  )
  if (missing !== 404) throw new Error(`${missing} instead of 404`)
  console.log('typescript:', version.version, id, upload.markdown)
}

walk().catch((error) => {
  console.error('typescript:', error)
  process.exitCode = 1
})
