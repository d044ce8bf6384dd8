import { expect, test } from 'vitest'
import { isGroupName, isProjectName, pathFromName } from './paths.ts'

test.each([
  ['My Project', 'my-project'],
  ['--. Über_uns .--', 'uber_uns'],
  ['Café Ünï', 'cafe-uni'],
  ['a--b', 'a--b'],
  ['🦊', ''],
  ['-_.', ''],
])('the path of %s', (name, path) => expect(pathFromName(name)).toBe(path))

test('long runs of dashes take linear time', () => {
  const name = `a${'_'.repeat(1_000_000)}b`
  const start = performance.now()
  expect(pathFromName(name)).toBe(name)
  // A backtracking regular expression takes many minutes.
  expect(performance.now() - start).toBeLessThan(10_000)
})

test.each(['a', 'a.b_', ' ', 'é', '🦊'])(
  'names of ten megabytes are checked without exhausting the stack: %j',
  (text) => {
    const name = `a${text.repeat(10_000_000 / Buffer.byteLength(text))}`
    expect([isGroupName(name), isProjectName(name)]).toEqual([true, true])
    expect([isGroupName(`${name}$`), isProjectName(`${name}$`)]).toEqual([false, false])
  },
)
