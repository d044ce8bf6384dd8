/** Jobs of a real pipeline publish packages with their tokens, and install them in the next stage. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pipelineOf, type TestMachine, testMachine } from '../src/runner/testing.ts'
import { type Person, runProgram, startTestServer, type TestServer } from '../src/testing/index.ts'

let server: TestServer
let owner: Person
let machine: TestMachine
let python: string | undefined
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  machine = await testMachine(server)
  const pip = { binary: 'python3', parameters: ['-m', 'pip', '--version'], env: { ...process.env } }
  python = (await runProgram(pip)).code === 0 ? 'python3' : undefined
})
afterAll(async () => {
  await machine[Symbol.asyncDispose]()
  await server.stop()
})

const registry = [
  'P="$CI_API_V4_URL/projects/$CI_PROJECT_ID/packages"',
  'echo "@tools:registry=$P/npm/" > .npmrc',
  'echo "//$CI_SERVER_FQDN/api/v4/projects/$CI_PROJECT_ID/packages/npm/:_authToken=$CI_JOB_TOKEN" >> .npmrc',
  'export npm_config_update_notifier=false npm_config_cache="$HOME/npm"',
]
const curl = 'curl --silent --show-error --fail-with-body --header "JOB-TOKEN: $CI_JOB_TOKEN"'

/** A wheel, as the build tools of Python make it. */
const wheel = `
import zipfile
with zipfile.ZipFile("hello-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("hello.py", "answer = 42\\n")
    wheel.writestr("hello-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: hello\\nVersion: 1.0\\n")
    wheel.writestr("hello-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    names = ["hello.py"] + ["hello-1.0.dist-info/" + name for name in ("METADATA", "WHEEL", "RECORD")]
    wheel.writestr("hello-1.0.dist-info/RECORD", "".join(name + ",,\\n" for name in names))
`
const files = {
  'package.json': '{"name": "@tools/lib", "version": "1.0.0", "main": "index.js"}',
  'index.js': 'module.exports = 42',
  'wheel.py': wheel,
}

/** What twine sends. */
const upload =
  'curl --silent --fail-with-body --user "gitlab-ci-token:$CI_JOB_TOKEN" --form content=@hello-1.0-py3-none-any.whl --form name=hello --form version=1.0 "$P/pypi"'
const index =
  '"http://gitlab-ci-token:$CI_JOB_TOKEN@$CI_SERVER_FQDN/api/v4/projects/$CI_PROJECT_ID/packages/pypi/simple"'

const job = (stage: string, script: readonly string[]) =>
  `${stage}:\n  stage: ${stage}\n  script: ${JSON.stringify(script)}\n`

/** A configuration of two stages. The variables of the jobs are those of the shell. */
const config = (isPython: boolean) =>
  ['stages: [publish, install]\n']
    .concat(
      job('publish', [
        ...registry,
        'npm publish',
        'echo content > tool',
        `${curl} --upload-file tool "$P/generic/tool/1.0/tool"`,
        ...(isPython ? ['python3 wheel.py', upload] : []),
      ]),
      job('install', [
        'mkdir app && cd app && echo "{}" > package.json',
        ...registry,
        'npm install --no-audit --no-fund @tools/lib',
        'node -e "if (require(\'@tools/lib\') !== 42) throw new Error()"',
        `${curl} "$P/generic/tool/1.0/tool" | grep content`,
        ...(isPython
          ? [
              `python3 -m pip install --quiet --no-cache-dir --target . --index-url ${index} hello`,
              'python3 -c "import hello; assert hello.answer == 42"',
            ]
          : []),
      ]),
    )
    .join('')

test('npm, curl and pip publish and install in a pipeline', { timeout: 240_000 }, async () => {
  const pipeline = await pipelineOf(server, owner, config(python !== undefined), files)
  await machine.runAll()
  const { publish, install } = await pipeline.jobs()
  expect(publish?.status, publish?.log).toBe('success')
  expect(install?.status, install?.log).toBe('success')
  const { body } = await owner.get(`/projects/${pipeline.projectId}/packages?order_by=type`)
  const types: string[] = body.map(({ package_type: type }: { package_type: string }) => type)
  expect(types).toEqual(['generic', 'npm', ...(python === undefined ? [] : ['pypi'])])
  for (const { pipeline: by } of body) expect(by).toMatchObject({ project_id: pipeline.projectId, source: 'api' })
})

test('the job of another project is refused until that project is listed', { timeout: 120_000 }, async () => {
  const target = await server.make.project('target', owner)
  const address = `"$CI_API_V4_URL/projects/${target.id}/packages/generic/tool/1.0/tool"`
  const stranger = await pipelineOf(
    server,
    owner,
    `work: {script: ['${curl} --upload-file index.js ${address}']}`,
    files,
  )
  await machine.runAll()
  const { work } = await stranger.jobs()
  expect(work?.status, work?.log).toBe('failed')
  expect(work?.log).toContain('403')
  const list = `/projects/${target.id}/job_token_scope/allowlist`
  expect((await owner.post(list, { target_project_id: stranger.projectId })).status).toBe(201)
  await stranger.again()
  await machine.runAll()
  expect((await stranger.jobs()).work?.status).toBe('success')
  expect((await owner.get(`/projects/${target.id}/packages`)).body).toMatchObject([{ name: 'tool', version: '1.0' }])
})
