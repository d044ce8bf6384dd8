import { describe, expect, test } from 'vitest'
import { planOf } from './testing.ts'

const errorsOf = async (text: string, files?: Record<string, string>) =>
  (await planOf(text, files ? { files } : {})).errors
const job = 'test:\n  script: echo\n'

describe('a configuration is refused with the texts of the contract', () => {
  test.each([
    ['a: b: c', ['(<unknown>): Nested mappings are not allowed in compact mappings at line 1 column 4']],
    ['- a', ['Invalid configuration format']],
    ['', ['Invalid configuration format']],
    ['stages: [a]', ['jobs config should contain at least one visible job']],
    ['.hidden:\n  script: x\n', ['jobs config should contain at least one visible job']],
    ['test:\n  stage: test\n', ['jobs:test config should implement the script:, run:, or trigger: keyword']],
    ['test: 5', ['jobs:test config should be a hash']],
    [`${job}  b: 1\n  a: 2\n`, ['jobs:test config contains unknown keys: b, a']],
    [
      `${job}  stage: nope\n`,
      ['test job: chosen stage does not exist; available stages are .pre, build, test, deploy, .post'],
    ],
    [`${job}  needs: [x]\n`, ['test job: undefined need: x']],
    [
      `${job}  stage: build\n  needs: [late]\nlate:\n  script: x\n`,
      ['test job: need late is not defined in current or prior stages'],
    ],
    [`${job}  dependencies: [x]\n`, ['test job: undefined dependency: x']],
    [`${job}  needs: [b]\nb:\n  script: x\n  needs: [test]\n`, ['The pipeline has circular dependencies']],
    [`${job}  rules: []\n  only: [main]\n`, ['jobs:test config key may not be used with `rules`: only']],
    [`${job}  rules:\n    - if: $A ==\n`, ['jobs:test:rules:rule if invalid expression syntax']],
    [
      'test:\n  script: {a: 1}\n',
      ['jobs:test:script config should be a string or a nested array of strings up to 10 levels deep'],
    ],
    [`${job}  extends: .x\n`, ['test: unknown keys in `extends` (.x)']],
    [
      '.a:\n  extends: .b\n.b:\n  extends: .a\ntest:\n  extends: .a\n  script: x\n',
      ['.a: circular dependency detected in `extends`'],
    ],
    [`${job}  trigger: other/project\n`, ['jobs:test config uses unsupported keyword: trigger']],
    [`${job}  script: !reference [none, script]\n`, ['!reference ["none","script"] could not be found']],
    ['test:\n  script: !reference [test, script]\n', ['!reference ["test","script"] is part of a circular chain']],
    [`include: https://example.com/a.yml\n${job}`, ['Included file type is not supported: remote']],
    [`include: [{template: A.yml}]\n${job}`, ['Included file type is not supported: template']],
    [`include: a.yml\n${job}`, ['Local file `a.yml` does not exist!']],
    [`include: a.txt\n${job}`, ['Included file `a.txt` does not have YAML extension!']],
    [`${job}  parallel: 1\n`, ['jobs:test:parallel config must be greater than or equal to 2']],
    [`${job}  retry: 3\n`, ['jobs:test:retry max must be less than or equal to 2']],
    [
      `${job}  when: sometimes\n`,
      ['jobs:test:when config should be one of: on_success, on_failure, always, manual, delayed, never'],
    ],
  ])('%s', async (text, expected) => {
    expect(await errorsOf(text)).toEqual(expected)
  })

  test('all problems of jobs are reported together', async () => {
    expect(await errorsOf('a:\n  script: 1\n  x: 1\nb:\n  tags: y\n')).toHaveLength(2)
  })

  test('empty files cannot be included, and a file that includes itself has an end', async () => {
    expect(await errorsOf(`include: a.yml\n${job}`, { 'a.yml': ' ' })).toEqual(['Local file `a.yml` is empty!'])
    const circle = { 'a.yml': 'include: a.yml\n' }
    expect(await errorsOf(`include: a.yml\n${job}`, circle)).toEqual([
      'Maximum depth of 100 nested includes is exceeded!',
    ])
    const wide = Object.fromEntries(Array.from({ length: 151 }, (_, index) => [`ci/${index}.yml`, 'a: {script: x}']))
    expect(await errorsOf('include: ci/*.yml\n', wide)).toEqual(['Maximum of 150 nested includes are allowed!'])
  })
})

describe('hostile configurations are refused quickly', () => {
  const bomb = (times: number) => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let index = 1; index < times; index += 1) {
      lines.push(`a${index}: &a${index} [${Array.from({ length: 9 }, () => `*a${index - 1}`).join(', ')}]`)
    }
    return `${lines.join('\n')}\n${job}`
  }
  const deep = (depth: number) => `test:\n  script: ${'['.repeat(depth)}x${']'.repeat(depth)}\n`

  test.each([
    ['an alias bomb', bomb(9)],
    ['ten megabytes', `test:\n  script: ${'x'.repeat(10 * 1024 * 1024)}\n`],
    ['deep lists', deep(5000)],
    ['ten thousand jobs', Array.from({ length: 10_000 }, (_, index) => `j${index}: {script: x}`).join('\n')],
    [
      'a long chain of extends',
      Array.from({ length: 20 }, (_, i) => `.t${i}: {extends: .t${i + 1}}`).join('\n') +
        `\n.t20: {script: x}\ntest: {extends: .t0}\n`,
    ],
    [
      'a matrix of many jobs',
      `${job}  parallel: {matrix: [{A: [1,2,3,4,5,6,7,8,9], B: [1,2,3,4,5,6,7,8,9], C: [1,2,3]}]}\n`,
    ],
  ])('%s', async (_, text) => {
    const errors = await errorsOf(text)
    expect(errors).toHaveLength(1)
    expect(errors[0]?.length).toBeLessThan(300)
  })

  test('a long chain of needs is no problem', async () => {
    const jobs = Array.from({ length: 2000 }, (_, index) =>
      index === 0 ? 'j0: {script: x}' : `j${index}: {script: x, needs: [j${index - 1}]}`,
    )
    expect((await planOf(jobs.join('\n'))).jobs).toHaveLength(2000)
  })

  test('keys of the object prototype are ordinary names', async () => {
    const { jobs, errors } = await planOf('__proto__:\n  script: x\nconstructor:\n  script: y\n')
    expect(errors).toEqual([])
    expect(jobs.map(({ name }) => name)).toEqual(['__proto__', 'constructor'])
    expect(({} as Record<string, unknown>).script).toBeUndefined()
  })

  test('regular expressions take linear time', async () => {
    const text = `${job}  rules:\n    - if: $A =~ /^(a+)+$/\n`
    expect((await planOf(text, { variables: { A: `${'a'.repeat(50_000)}b` } })).plan).toEqual({ kind: 'no_jobs' })
  })
})
