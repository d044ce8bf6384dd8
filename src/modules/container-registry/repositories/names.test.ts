import { describe, expect, test } from 'vitest'
import { divisionsOf, isRepositoryName, repositoryPath } from './names.ts'

describe('a repository name', () => {
  test.each([
    'g/p',
    'g/p/web/api',
    'g/p/manifests',
    '0/1',
    'a.b/c_d',
    'a__b/c-d',
    'a---b/c',
    `g/${'p'.repeat(253)}`,
    Array.from({ length: 19 }, () => 'a').join('/'),
  ])('%s is legal', (name) => {
    expect(isRepositoryName(name)).toBe(true)
  })

  test.each([
    '',
    'g',
    'g/',
    '/g',
    'g//p',
    'G/p',
    'g/P',
    'g/p/',
    'g/.',
    'g/..',
    '../p',
    'g/-p',
    'g/p-',
    'g/p_',
    'g/_p',
    'g/.p',
    'g/a..b',
    'g/a___b',
    'g/a_-b',
    'g/foo-_bar',
    'g/p%2fq',
    'g/p\n',
    'g/p\0',
    'g/ä',
    'g/p:tag',
    'g/p@sha256',
    `g/${'p'.repeat(254)}`,
    Array.from({ length: 20 }, () => 'a').join('/'),
    'a-'.repeat(50_000),
  ])('%j is not', (name) => {
    expect(isRepositoryName(name)).toBe(false)
  })

  test('belongs to the project of its whole path, or to one above by one or two levels', () => {
    expect(divisionsOf('g/p')).toEqual([{ projectPath: 'g/p', rest: '' }])
    expect(divisionsOf('g/p/web')).toEqual([
      { projectPath: 'g/p/web', rest: '' },
      { projectPath: 'g/p', rest: 'web' },
    ])
    expect(divisionsOf('a/b/c/d/e')).toEqual([
      { projectPath: 'a/b/c/d/e', rest: '' },
      { projectPath: 'a/b/c/d', rest: 'e' },
      { projectPath: 'a/b/c', rest: 'd/e' },
    ])
  })

  test('is the path of the project in lower case and the rest', () => {
    expect([repositoryPath({ full_path: 'G/P' }, ''), repositoryPath({ full_path: 'G/P' }, 'web')]).toEqual([
      'g/p',
      'g/p/web',
    ])
  })
})
