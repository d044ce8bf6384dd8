import { describe, expect, test } from 'vitest'
import { requireVersion } from './version.ts'

describe('a version of git', () => {
  test.each([
    '2.38.3',
    '2.38.5',
    '2.38.10',
    '2.38.3.windows.1',
    '2.39.1',
    '2.39.5',
    '2.39.5 (Apple Git-154)',
    '2.39.3.dirty',
    '2.40',
    '2.40.0',
    '2.40.0.rc1',
    '2.40.0-rc0',
    '2.50.1 (Apple Git-155)',
    '2.100.0',
    '3.0.0.rc1',
  ])('%s is accepted', (version) => {
    expect(() => requireVersion(`git version ${version}\n`)).not.toThrow()
  })

  test.each([
    '2.38.2',
    '2.38.0',
    '2.38',
    '2.38.2.windows.1',
    '2.38.2.5',
    '2.38.GIT',
    '2.39.0',
    '2.39.0.rc2',
    '2.39.0 (Apple Git-145)',
    '2.39',
    // They have the fixes, but not the functions.
    '2.37.5',
    '2.30.7',
    '2.4.10',
    '1.39.1',
    '0.99',
  ])('%s is refused', (version) => {
    const number = version.split(' ')[0]
    const required = '2.39.1 or newer, or a 2.38 from 2.38.3 on, is required'
    const sentence = `git ${number} is too old: ${required} (fixes of CVE-2022-41903 and CVE-2022-23521)`
    expect(() => requireVersion(`git version ${version}\n`)).toThrow(sentence)
  })

  test.each(['', 'unknown\n', 'git version unknown\n', 'version 2.40.0\n'])('%j is refused', (printed) => {
    expect(() => requireVersion(printed)).toThrow(expect.objectContaining({ code: 'unsupported_version' }))
  })
})
