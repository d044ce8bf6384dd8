import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, httpUrl, type Person, startTestServer, type TestServer, temporaryDirectory } from '../testing/index.ts'
import { pipelineOf, type TestMachine, testMachine } from './testing.ts'

let server: TestServer
let owner: Person
let machine: TestMachine
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  machine = await testMachine(server)
})
afterAll(async () => {
  await machine[Symbol.asyncDispose]()
  await server.stop()
})

const threeStages = `
stages: [build, test, deploy]
variables: {GREETING: hello, TARGET: "$GREETING world"}
build:
  stage: build
  cache: {key: "$CI_COMMIT_REF_SLUG", paths: [cached/]}
  before_script: [echo "before in $CI_JOB_STAGE"]
  script:
    - cat cached/count || echo "no cache yet"
    - mkdir -p cached out/sub out/secret && echo 1 > cached/count
    - echo built > out/a.txt && echo two > "out/sub/b c.txt" && echo no > out/secret/key && chmod 755 out/a.txt
    - ln -s a.txt out/link
    - echo "VERSION=1.2.3" > build.env
    - echo '<testsuite/>' > junit.xml
  artifacts:
    name: "$CI_JOB_NAME"
    paths: [out/]
    exclude: [out/secret/*]
    reports: {dotenv: build.env, junit: junit.xml}
test:
  stage: test
  script:
    - test "$(cat out/a.txt)" = built
    - cat "out/sub/b c.txt" out/link
    - test -x out/a.txt
    - test ! -e out/secret/key
    - echo "version $VERSION target $TARGET"
    - echo "file $(cat $CONFIG_FILE)"
    - echo "masked $TOKEN_VALUE and $CI_JOB_TOKEN"
    - echo "project $CI_PROJECT_DIR builds $CI_BUILDS_DIR"
    - env | grep -c FENNEC_ || true
  after_script: ['echo "after $CI_JOB_STATUS"', 'exit 3']
deploy:
  stage: deploy
  dependencies: []
  script:
    - test ! -e out
    - git rev-list --count HEAD
    - |
      for n in 1 2; do
        echo "round $n"
      done
`

describe('a pipeline of three stages', () => {
  test('has artifacts, reports, variables of each kind, a cache and after_script', async () => {
    process.env.FENNEC_PRIVATE_SETTING = 'never'
    const pipeline = await pipelineOf(server, owner, threeStages)
    const at = `/projects/${pipeline.projectId}/variables`
    await owner.post(at, { key: 'CONFIG_FILE', value: 'content of a file', variable_type: 'file' })
    await owner.post(at, { key: 'TOKEN_VALUE', value: 'very-secret-value', masked: true })
    await machine.runAll()
    delete process.env.FENNEC_PRIVATE_SETTING
    const { build, test: tested, deploy } = await pipeline.jobs()
    expect([build?.status, tested?.status, deploy?.status], `${build?.log}${tested?.log}${deploy?.log}`).toEqual([
      'success',
      'success',
      'success',
    ])
    expect(build?.artifacts.map(({ file_type }) => file_type).sort()).toEqual(
      expect.arrayContaining(['archive', 'dotenv', 'junit']),
    )
    expect(build?.log).toContain('before in build')
    expect(build?.log).toContain('no cache yet')
    expect(build?.log).toMatch(/section_start:\d+:step_script\r/)
    expect(build?.log).toMatch(/section_end:\d+:step_script\r/)
    expect(tested?.log).toContain('two\nbuilt')
    expect(tested?.log).toContain('version 1.2.3 target hello world')
    expect(tested?.log).toContain('file content of a file')
    expect(tested?.log).toContain('masked [MASKED] and [MASKED]')
    expect(tested?.log).toMatch(/project (\S+)\/work-0\/\d+\/p\w+ builds \1\n/)
    expect(tested?.log).toContain('\n0\n')
    expect(tested?.log).toContain('after success')
    expect(tested?.log).toContain('after_script failed, but the job goes on: exit code 3')
    expect(deploy?.log).toContain('$ for n in 1 2; do\u001b[0;m # collapsed multi-line command')
    expect(deploy?.log).toContain('round 1\nround 2\n')
    expect(deploy?.log).toContain('Job succeeded')
    expect(await pipeline.namesIn(build?.id ?? 0, 'out')).toEqual(['out/secret/', 'out/sub/', 'out/a.txt', 'out/link'])
    expect(await pipeline.namesIn(build?.id ?? 0, 'out/secret')).toEqual([])
  })

  test('gets the cache of the pipeline before', async () => {
    const pipeline = await pipelineOf(
      server,
      owner,
      `a: {cache: {key: k, paths: [c], policy: $POLICY}, script: ['cat c || echo none', 'echo kept > c']}\nvariables: {POLICY: pull-push}`,
    )
    await machine.runAll()
    expect((await pipeline.jobs()).a?.log).toContain('\nnone\n')
    await pipeline.again()
    await machine.runAll()
    expect((await pipeline.jobs()).a?.log).toContain('\nkept\n')
  })
})

describe('a job that fails', () => {
  test('is allowed to by its exit code, ends at the first command, and has after_script and artifacts for failures', async () => {
    const pipeline = await pipelineOf(
      server,
      owner,
      `
a:
  script: ['false | true', 'echo never']
  after_script: ['echo "status $CI_JOB_STATUS"']
  artifacts: {when: on_failure, paths: ['*.txt']}
b:
  stage: test
  needs: []
  script: [echo x > a.txt, exit 42]
  allow_failure: {exit_codes: [42]}
  artifacts: {when: on_failure, paths: ['*.txt', missing]}
`,
    )
    await machine.runAll()
    const { a, b } = await pipeline.jobs()
    expect(a).toMatchObject({ status: 'failed', failure_reason: 'script_failure', allow_failure: false })
    expect(a?.log).not.toContain('\nnever')
    expect(a?.log).toContain('status failed')
    expect(a?.log).toContain('no files to upload')
    expect(a?.log).toContain('ERROR: Job failed: exit code 1')
    expect(b).toMatchObject({ status: 'failed', allow_failure: true })
    expect(b?.artifacts.map(({ file_type }) => file_type)).toContain('archive')
    expect(b?.log).toContain('missing: no matching files')
  })

  test('says what this runner does not have: services, and images', async () => {
    const pipeline = await pipelineOf(
      server,
      owner,
      `a: {services: [postgres:17], script: [echo never]}\nb: {image: node:24, script: [echo anyway]}`,
    )
    await machine.runAll()
    const { a, b } = await pipeline.jobs()
    expect(a).toMatchObject({ status: 'failed', failure_reason: 'runner_system_failure' })
    expect(a?.log).toContain('this runner has no services (postgres:17)')
    expect(a?.log).not.toContain('never')
    expect(b?.status).toBe('success')
    expect(b?.log).toContain('the image node:24 is ignored')
  })

  test('has no sources, where git cannot fetch them', async () => {
    const pipeline = await pipelineOf(server, owner, 'a: {variables: {GIT_STRATEGY: odd}, script: [echo never]}')
    await machine.runAll()
    const { a } = await pipeline.jobs()
    expect(a).toMatchObject({ status: 'failed', failure_reason: 'runner_system_failure' })
    expect(a?.log).toContain('GIT_STRATEGY odd is unknown')
  })
})

describe('the sources', () => {
  const leaving = `
a:
  script:
    - test ! -e left
    - git config core.fsmonitor && echo "a setting is kept" || true
    - cat .git/kept 2>/dev/null || echo "nothing is kept"
    - echo x > left && echo "the history is kept" > .git/kept
    - git config core.fsmonitor 'touch never'
    - rm .gitlab-ci.yml && mkdir -p .git/hooks && echo 'touch never' > .git/hooks/post-checkout && chmod +x .git/hooks/*`

  test('are those of the job before, without its files, hooks and settings, by GIT_STRATEGY fetch', async () => {
    const pipeline = await pipelineOf(server, owner, leaving)
    await machine.runAll()
    expect((await pipeline.jobs()).a).toMatchObject({
      status: 'success',
      log: expect.stringContaining('nothing is kept'),
    })
    await pipeline.again()
    await machine.runAll()
    const { a } = await pipeline.jobs()
    expect(a?.status, a?.log).toBe('success')
    expect(a?.log).toContain('\nthe history is kept')
    expect(a?.log).not.toContain('\na setting is kept')
  })

  test('are new ones by GIT_STRATEGY clone', async () => {
    const pipeline = await pipelineOf(server, owner, `variables: {GIT_STRATEGY: clone}\n${leaving}`)
    for (const round of [1, 2]) {
      if (round === 2) await pipeline.again()
      await machine.runAll()
      expect((await pipeline.jobs()).a).toMatchObject({
        status: 'success',
        log: expect.stringContaining('nothing is kept'),
      })
    }
  })

  test('are fetched anew where those of the job before are damaged', async () => {
    const pipeline = await pipelineOf(server, owner, "a: {script: [rm -r .git/objects, 'echo x > .git/HEAD']}")
    await machine.runAll()
    await pipeline.again()
    await machine.runAll()
    const { a } = await pipeline.jobs()
    expect(a?.status, a?.log).toBe('success')
    expect(a?.log).toContain('the sources of the job before cannot be used')
  })

  test('are not fetched by GIT_STRATEGY none and empty', async () => {
    const config = `
a: {variables: {GIT_STRATEGY: none}, script: [test ! -e .gitlab-ci.yml, touch left]}
b: {variables: {GIT_STRATEGY: empty}, script: [test ! -e left]}`
    const pipeline = await pipelineOf(server, owner, config)
    await machine.runAll()
    const { a, b } = await pipeline.jobs()
    expect([a?.status, b?.status], `${a?.log}${b?.log}`).toEqual(['success', 'success'])
  })

  test('have submodules with relative addresses, by GIT_SUBMODULE_STRATEGY', async () => {
    const library = await pipelineOf(server, owner, 'a: {script: [echo library]}', { 'lib.txt': 'of the library' })
    await owner.put(`/projects/${library.projectId}`, { visibility: 'public' })
    const config = 'a: {variables: {GIT_SUBMODULE_STRATEGY: recursive}, script: [cat lib/lib.txt]}'
    const pipeline = await pipelineOf(server, owner, config)
    await using folder = await temporaryDirectory()
    const pathOf = async (id: number) => (await owner.get(`/projects/${id}`)).body.path_with_namespace
    const [own, other] = [await pathOf(pipeline.projectId), await pathOf(library.projectId)]
    const address = httpUrl(server, { token: await server.make.token(owner, ['api']) }, own)
    await git(folder.path, 'clone', '--quiet', address, 'tree')
    const tree = join(folder.path, 'tree')
    expect(await git(tree, 'submodule', 'add', '--quiet', `../${basename(other)}.git`, 'lib')).toMatchObject({
      code: 0,
    })
    expect(await git(tree, 'commit', '--quiet', '--message', 'Add a submodule [skip ci]')).toMatchObject({ code: 0 })
    expect(await git(tree, 'push', '--quiet', 'origin', 'HEAD')).toMatchObject({ code: 0, stderr: '' })
    await pipeline.again()
    await machine.runAll()
    expect((await pipeline.jobs()).a).toMatchObject({
      status: 'success',
      log: expect.stringContaining('of the library'),
    })
  })
})
