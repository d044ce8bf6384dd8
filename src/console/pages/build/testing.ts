import { makeRunner, type TestRunner, workOn } from '../../../modules/runners/testing.ts'
import { imported, importStream, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
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
  const runner = await makeRunner(server)
  return { server, project, runner, owner, developer, guest, stranger, id: String(project.id) }
}

export type Builds = Awaited<ReturnType<typeof startBuilds>>

/** Starts a pipeline by the API. @returns its id */
export async function startPipeline({ project }: Builds, owner: Person, more: object = {}): Promise<number> {
  const { status, body } = await owner.post(`/projects/${project.id}/pipeline`, { ref: 'main', ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

/** Takes the next job, and writes its log. */
export async function takeJob(server: TestServer, runner: TestRunner, log: string) {
  const taken = await runner.take()
  const work = workOn(server, taken)
  const bytes = Buffer.byteLength(log)
  if (bytes > 0) await work.trace(log, `0-${bytes - 1}`)
  return { ...work, id: taken.id as number, name: taken.job_info.name as string }
}

/** Sends a form, and follows it to the page where it leads. */
export async function follow(browser: Browser, ...[path, operation, fields, then]: Parameters<Browser['send']>) {
  const sent = await browser.send(path, operation, fields, then)
  if (sent.status !== 303) throw new Error(`${sent.status} ${sent.html}`)
  return { ...(await browser.get(sent.location)), location: sent.location }
}
