import { describe, expect, test } from 'vitest'
import { namesOf, planOf } from './testing.ts'

describe('jobs', () => {
  test('have the defaults of the contract', async () => {
    const { jobs } = await planOf('test:\n  script: [a, [b, c]]\n')
    expect(jobs).toEqual([
      {
        name: 'test',
        stage: 'test',
        stageIndex: 2,
        when: 'on_success',
        startInSeconds: null,
        allowFailure: false,
        interruptible: false,
        tags: [],
        timeoutSeconds: null,
        resourceGroup: null,
        needs: null,
        definition: {
          beforeScript: [],
          script: ['a', 'b', 'c'],
          afterScript: [],
          preGetSourcesScript: [],
          image: null,
          services: [],
          variables: [],
          artifacts: null,
          cache: [],
          environment: null,
          dependencies: null,
          allowFailureExitCodes: [],
          retry: { max: 0, when: ['always'] },
          coverage: null,
          node: null,
        },
      },
    ])
  })

  test('inherit defaults, templates and references', async () => {
    const { jobs } = await planOf(`
default:
  image: node
  tags: [fast]
  before_script: [prepare]
.base: &base
  variables: {A: base, B: base}
  retry: 2
.other:
  script: [shared]
one:
  extends: [.base]
  variables: {B: one}
  script:
    - !reference [.other, script]
    - own
  timeout: 1h 30 minutes
two:
  <<: *base
  inherit: {default: [image], variables: false}
  script: two
`)
    const [one, two] = jobs
    expect(one?.definition).toMatchObject({
      image: { name: 'node' },
      beforeScript: ['prepare'],
      script: ['shared', 'own'],
      variables: [
        { key: 'A', value: 'base' },
        { key: 'B', value: 'one' },
      ],
      retry: { max: 2, when: ['always'] },
    })
    expect(one).toMatchObject({ tags: ['fast'], timeoutSeconds: 5400 })
    expect(two).toMatchObject({ tags: [], definition: { image: { name: 'node' }, beforeScript: [] } })
  })

  test('are divided by parallel and matrix, and needs name all of them', async () => {
    const { jobs } = await planOf(`
build:
  stage: build
  script: x
  parallel: 2
deploy:
  stage: build
  script: x
  parallel:
    matrix:
      - OS: [linux, mac]
        NODE: 20
test:
  script: x
  needs:
    - build
    - job: deploy
      parallel: {matrix: [{OS: linux, NODE: 20}]}
`)
    expect(jobs.map(({ name }) => name)).toEqual([
      'build 1/2',
      'build 2/2',
      'deploy: [linux, 20]',
      'deploy: [mac, 20]',
      'test',
    ])
    expect(jobs[1]?.definition.node).toEqual({ index: 2, total: 2 })
    expect(jobs[2]?.definition.variables.map(({ key, value }) => `${key}=${value}`)).toEqual(['OS=linux', 'NODE=20'])
    expect(jobs[4]?.needs?.map(({ job }) => job)).toEqual(['build 1/2', 'build 2/2', 'deploy: [linux, 20]'])
  })

  test('are manual, delayed or allowed to fail as written', async () => {
    const { jobs } = await planOf(`
a: {script: x, when: manual}
b: {script: x, rules: [{when: manual}]}
c: {script: x, when: delayed, start_in: 5 minutes}
d: {script: x, allow_failure: {exit_codes: [2, 3]}}
e: {script: x, allow_failure: true, when: never}
f: {script: x, rules: [{when: manual, allow_failure: true}]}
`)
    expect(
      jobs.map(({ name, when, allowFailure, startInSeconds }) => [name, when, allowFailure, startInSeconds]),
    ).toEqual([
      ['a', 'manual', true, null],
      ['b', 'manual', false, null],
      ['c', 'delayed', false, 300],
      ['d', 'on_success', false, null],
      ['f', 'manual', true, null],
    ])
    expect(jobs[3]?.definition.allowFailureExitCodes).toEqual([2, 3])
  })
})

describe('rules', () => {
  const withRules = (rules: string) => `job:\n  script: x\n  rules:\n${rules}`

  test.each([
    ['    - if: $A == "1"', { A: '1' }, true],
    ['    - if: $A == "1"', { A: '2' }, false],
    ['    - if: $A', { A: '' }, false],
    ['    - if: $A == null', {}, true],
    ['    - if: $A != null && ($B =~ /^x/i || $B == $A)', { A: 'q', B: 'X1' }, true],
    ['    - if: $A != null && ($B =~ /^x/i || $B == $A)', { A: 'q', B: 'q' }, true],
    ['    - if: $A != null && ($B =~ /^x/i || $B == $A)', { A: 'q', B: 'y' }, false],
    ['    - if: $A !~ /b/', { A: 'a' }, true],
    ['    - if: $A =~ $B', { A: 'feature/x', B: '/^feature\\/.*/' }, true],
    ['    - if: $CI_COMMIT_BRANCH == "main"', {}, true],
    ['    - {if: $A, when: never}\n    - when: always', { A: '1' }, false],
    ['    - {if: $A, when: never}\n    - when: always', {}, true],
    ['    - exists: ["**/*.md"]', {}, true],
    ['    - exists: ["*.rb"]', {}, false],
  ])('%s with %j: %s', async (rules, variables, expected) => {
    const names = await namesOf(withRules(rules), { variables, files: { 'docs/a.md': '' } })
    expect(names).toEqual(expected ? ['job'] : [])
  })

  test('compare changed paths; without a previous tip everything has changed', async () => {
    const text = withRules('    - changes: ["src/**/*.{ts,js}", "README.md"]')
    expect(await namesOf(text, { changed: ['src/a/b.ts'] })).toEqual(['job'])
    expect(await namesOf(text, { changed: ['src/b.js'] })).toEqual(['job'])
    expect(await namesOf(text, { changed: ['src/a.rb', 'docs/README.md'] })).toEqual([])
    expect(await namesOf(text, { changed: null })).toEqual(['job'])
  })

  test('add variables, also to the workflow', async () => {
    const { jobs, plan } = await planOf(`
workflow:
  name: Build of $TARGET
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
      variables: {TARGET: production}
variables: {TARGET: none, G: global}
job:
  script: x
  environment: {name: $TARGET/eu}
  rules:
    - variables: {G: rule}
`)
    expect(plan).toMatchObject({ kind: 'jobs', name: 'Build of production' })
    expect(jobs[0]?.definition).toMatchObject({
      environment: { name: 'production/eu' },
      variables: [
        { key: 'TARGET', value: 'production' },
        { key: 'G', value: 'rule' },
      ],
    })
  })

  test('of the workflow decide about the pipeline', async () => {
    const text = 'workflow:\n  rules:\n    - if: $RUN\njob:\n  script: x\n'
    expect((await planOf(text)).plan).toEqual({ kind: 'filtered_by_workflow' })
    expect((await planOf(text, { variables: { RUN: '1' } })).plan).toMatchObject({ kind: 'jobs' })
  })

  test('that leave only the outer stages leave no pipeline', async () => {
    expect((await planOf('job:\n  stage: .pre\n  script: x\n')).plan).toEqual({ kind: 'no_jobs' })
  })

  test('may not remove a job that is needed, unless the need is optional', async () => {
    const text = (need: string) =>
      `a: {stage: build, script: x, rules: [{if: $NEVER}]}\nb: {script: x, needs: [${need}]}\n`
    expect((await planOf(text('a'))).errors).toEqual([
      "'b' job needs 'a' job, but 'a' does not exist in the pipeline. This might be because of the only, except, or " +
        'rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.',
    ])
    expect((await planOf(text('{job: a, optional: true}'))).jobs).toMatchObject([{ name: 'b', needs: [] }])
  })

  test('stored variables win over those of the configuration, and those over predefined ones', async () => {
    const text =
      'variables: {A: yml, CI_COMMIT_BRANCH: yml}\njob: {script: x, rules: [{if: $A == "stored" && $CI_COMMIT_BRANCH == "yml"}]}\n'
    expect(await namesOf(text, { variables: { A: 'stored' } })).toEqual(['job'])
    expect(await namesOf(text)).toEqual([])
  })
})

describe('only and except', () => {
  const text = (filter: string) => `job:\n  script: x\n${filter}`

  test.each([
    ['  only: [main]', {}, true],
    ['  only: [main]', { ref: 'other' }, false],
    ['  only: [/^feature-/]', { ref: 'feature-1' }, true],
    ['  only: [tags]', {}, false],
    ['  only: [tags]', { ref: 'v1', tag: true }, true],
    ['  only: [schedules]', { source: 'schedule' }, true],
    ['  only: [schedules]', {}, false],
    ['  except: [main]', {}, false],
    ['  except: [main]', { ref: 'other' }, true],
    ['  only: {variables: [$A == "1"]}', { variables: { A: '1' } }, true],
    ['  only: {variables: [$A == "1", $B == "2"]}', { variables: { A: '0', B: '2' } }, true],
    ['  only: {variables: [$A == "1", $B == "2"]}', { variables: { A: '1', B: '0' } }, true],
    ['  only: {variables: [$A == "1", $B == "2"]}', { variables: { A: '0', B: '0' } }, false],
    ['  only: {refs: [main], variables: [$A == "1"]}', {}, false],
    ['  only: {changes: ["a/*"]}', { changed: ['a/c'] }, true],
    ['  only: {changes: ["a/*"]}', { changed: ['a/c'], ref: 'v1', tag: true }, true],
    ['  only: {changes: ["a/*", "b/*"]}', { changed: ['b/c'] }, true],
    ['  only: {variables: [$A == "1"]}', { variables: { A: '1' }, ref: 'v1', tag: true }, true],
    ['  only: {changes: ["a/*"]}', { changed: ['b/c'] }, false],
    ['  except: {variables: [$A]}', { variables: { A: '1' } }, false],
  ])('%s in %j: %s', async (filter, situation, expected) => {
    expect(await namesOf(text(filter), situation)).toEqual(expected ? ['job'] : [])
  })
})

describe('includes', () => {
  test('merge files of the project and of others; the including file wins', async () => {
    const { jobs, compiled } = await planOf(
      'include:\n  - ci/*.yml\n  - {project: g/shared, ref: v1, file: [/all.yml]}\n  - {local: no.yml, rules: [{if: $NEVER}]}\njob: {script: own}\n',
      {
        files: {
          'ci/a.yml': 'job: {script: a, tags: [x]}',
          'ci/b.yml': 'include: /ci2/c.yml',
          'ci2/c.yml': 'c: {script: c}',
        },
        others: {
          'g/shared': { 'all.yml': 'include: more.yml\nshared: {script: s}', 'more.yml': 'more: {script: m}' },
        },
      },
    )
    expect(jobs.map(({ name, tags, definition: { script } }) => [name, ...tags, ...script])).toEqual([
      ['job', 'x', 'own'],
      ['c', 'c'],
      ['more', 'm'],
      ['shared', 's'],
    ])
    expect(compiled.includes.map(({ type, location, project }) => `${type} ${project} ${location}`)).toEqual([
      'local g/p ci/a.yml',
      'local g/p ci/b.yml',
      'local g/p ci2/c.yml',
      'file g/shared all.yml',
      'local g/shared more.yml',
    ])
  })

  test('report what is missing', async () => {
    const errors = async (include: string) =>
      (await planOf(`include: ${include}\njob: {script: x}\n`, { others: { 'g/shared': {} } })).errors
    expect(await errors('{project: g/none, file: a.yml}')).toEqual(['Project `g/none` not found or access denied!'])
    expect(await errors('{project: g/shared, file: a.yml}')).toEqual([
      'Project `g/shared` file `a.yml` does not exist!',
    ])
  })
})

describe('pages', () => {
  const published = async (job: string) => {
    const { jobs, errors } = await planOf(`${job}\nother: {script: x}\n`)
    return jobs ? jobs.map(({ definition }) => definition.pages?.publish ?? null) : errors
  }

  test.each([
    ['pages: {script: x}', ['public', null]],
    ['pages: {script: x, publish: dist}', ['dist', null]],
    ['pages: {script: x, pages: false}', [null, null]],
    ['deploy: {script: x, pages: true}', ['public', null]],
    ['deploy: {script: x, pages: {publish: $OUT/html}}', ['$OUT/html', null]],
    ['deploy: {script: x, publish: dist}', [null, null]],
  ])('of %s', async (job, expected) => {
    expect(await published(job)).toEqual(expected)
  })

  test('is an artifact where the job says that it publishes', async () => {
    const paths = async (job: string) => (await planOf(job)).jobs[0]?.definition.artifacts?.paths
    expect(await paths('deploy: {script: x, pages: {publish: dist}}')).toEqual(['dist'])
    expect(await paths('deploy: {script: x, pages: true, artifacts: {paths: [public, a]}}')).toEqual(['public', 'a'])
    expect(await paths('pages: {script: x}')).toBeUndefined()
  })

  test('has a prefix and an end', async () => {
    const { jobs } = await planOf('deploy: {script: x, pages: {path_prefix: $CI_COMMIT_REF_SLUG, expire_in: 1 day}}')
    const expected = { publish: 'public', pathPrefix: '$CI_COMMIT_REF_SLUG', expireIn: '1 day' }
    expect(jobs[0]?.definition.pages).toEqual(expected)
  })

  test.each([
    ['[]', 'jobs:a:pages config should be a hash or a boolean value'],
    ['{expire_in: soon}', 'jobs:a:pages:expire_in config should be a duration'],
    ['{publish: 1}', 'jobs:a:pages:publish config should be a string'],
    ['{publish: " "}', "jobs:a:pages:publish can't be blank"],
  ])('is refused as %s', async (written, message) => {
    expect((await planOf(`a: {script: x, pages: ${written}}`)).errors).toEqual([message])
  })
})

describe('keywords without effect', () => {
  test('are warnings', async () => {
    const { compiled, jobs } = await planOf('job: {script: x, release: {tag_name: v1}, secrets: {}}\n')
    expect(compiled.configuration?.warnings).toEqual([
      'job: keyword release is not supported and was ignored',
      'job: keyword secrets is not supported and was ignored',
    ])
    expect(jobs).toHaveLength(1)
  })

  test('artifacts, caches and services are read whole', async () => {
    const { jobs } = await planOf(`
job:
  script: x
  services: [redis, {name: postgres, alias: db, command: [run]}]
  artifacts: {paths: [out], expire_in: 1 week, when: always, reports: {junit: a.xml, dotenv: [b.env]}}
  cache:
    - {key: {files: [lock], prefix: p}, paths: [node_modules], policy: pull}
    - {key: k, paths: [x]}
  coverage: /total (\\d+)%/
  resource_group: prod-$CI_COMMIT_BRANCH
`)
    expect(jobs[0]).toMatchObject({
      resourceGroup: 'prod-main',
      definition: {
        services: [{ name: 'redis' }, { name: 'postgres', alias: 'db', command: ['run'] }],
        artifacts: {
          paths: ['out'],
          expireIn: '1 week',
          when: 'always',
          reports: { junit: ['a.xml'], dotenv: ['b.env'] },
        },
        cache: [
          { key: { files: ['lock'], prefix: 'p' }, policy: 'pull' },
          { key: 'k', policy: 'pull-push' },
        ],
        coverage: 'total (\\d+)%',
      },
    })
  })
})
