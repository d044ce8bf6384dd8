import { imported, importStream, type Person, startTestServer } from '../../../testing/index.ts'
import { type Browser, personWithBrowser } from '../code/testing.ts'

export const script = '<script>alert(1)</script>'

const configuration = `
stages: [build, test, deploy]
compile: {stage: build, script: make}
unit: {stage: test, script: a, needs: [compile]}
'odd ${script}': {stage: test, script: a, allow_failure: true}
publish: {stage: deploy, script: a, when: manual, environment: {name: production}}
`

/** A project with pipelines, a runner over the API, and people who look at them. */
export async function startBuilds() {
  const server = await startTestServer()
  const owner = await personWithBrowser(server, 'owner')
  const files: [string, string, string][] = [['100644', '.gitlab-ci.yml', configuration]]
  const stream = importStream([{ message: `Configure ${script}\n`, files }])
  const project = await imported(server, owner, 'demo', stream)
  await server.app.platform.jobs.drain()
  const [developer, guest, stranger] = await Promise.all([
    personWithBrowser(server, 'developer'),
    personWithBrowser(server, 'guest'),
    personWithBrowser(server, 'stranger'),
  ])
  await server.make.member({ project }, developer, 30)
  await server.make.member({ project }, guest, 10)
  const { body: runner } = await server.root.post('/user/runners', { runner_type: 'instance_type' })
  return { server, project, runner, owner, developer, guest, stranger, id: String(project.id) }
}

export type Builds = Awaited<ReturnType<typeof startBuilds>>

/** Starts a pipeline by the API. @returns its id */
export async function startPipeline({ project }: Builds, owner: Person, more: object = {}): Promise<number> {
  const { status, body } = await owner.post(`/projects/${project.id}/pipeline`, { ref: 'main', ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

/** Takes the next job as a runner does, and writes its log. */
export async function takeJob({ server: { anonymous }, runner }: Builds, log: string) {
  const info = { features: { cancel_gracefully: true } }
  const taken = await anonymous.post('/jobs/request', { token: runner.token, system_id: 's_test', info })
  if (taken.status !== 201) throw new Error(`no job: ${taken.status}`)
  const { id, token, variables, job_info: facts } = taken.body
  const headers = {
    'JOB-TOKEN': token,
    'Content-Type': 'text/plain',
    'Content-Range': `0-${Buffer.byteLength(log) - 1}`,
  }
  if (log !== '') await anonymous.patch(`/jobs/${id}/trace`, log, { headers })
  return {
    ...{ id: id as number, name: facts.name as string, variables: variables as unknown[] },
    update: (body: object) => anonymous.put(`/jobs/${id}`, { token, ...body }),
    upload(archive: Buffer) {
      const form = new FormData()
      form.set('file', new File([archive], 'artifacts.zip'))
      return anonymous.post(`/jobs/${id}/artifacts`, form, { headers: { 'JOB-TOKEN': token } })
    },
  }
}

/** Sends a form, and follows it to the page where it leads. */
export async function follow(browser: Browser, ...[path, operation, fields, then]: Parameters<Browser['send']>) {
  const sent = await browser.send(path, operation, fields, then)
  if (sent.status !== 303) throw new Error(`${sent.status} ${sent.html}`)
  return { ...(await browser.get(sent.location)), location: sent.location }
}
