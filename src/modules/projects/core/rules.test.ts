import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../api/index.ts'
import type { Definitions } from '../../../platform/settings/index.ts'
import { refusedLevels, unrefused, visibilityIn } from '../../namespaces/index.ts'
import { chooseStorage } from '../creation/create.ts'
import { chooseReadme } from '../refs/readme.ts'
import { projectSettingDefaults, projectSettings, settingsOf } from '../settings/settings.ts'

describe('the storage of a new project', () => {
  test.each([
    [{ a: 100, b: 0 }, 0.999, 'a'],
    [{ a: 0, b: 1 }, 0, 'b'],
    [{ a: 1, b: 3 }, 0.24, 'a'],
    [{ a: 1, b: 3 }, 0.25, 'b'],
    [{ a: 0, b: 0 }, 0.5, 'default'],
    [{}, 0.5, 'default'],
  ])('of %j at %d is %s', (weights, random, storage) => {
    expect(chooseStorage(weights as Record<string, number>, random)).toBe(storage)
  })
})

describe('visibility', () => {
  const group = (visibility: 'private' | 'internal' | 'public') => ({ kind: 'group' as const, visibility })
  const person = { kind: 'user' as const, visibility: 'public' as const }

  test.each([
    ['public', group('internal'), [], 'internal'],
    ['private', group('public'), [], 'private'],
    ['public', person, ['public'], 'internal'],
    ['public', person, ['public', 'internal'], 'private'],
    ['private', person, ['private'], 'private'],
  ] as const)('by default %s in %j without %j is %s', (byDefault, namespace, refused, expected) => {
    expect(unrefused(visibilityIn(namespace, byDefault), refused)).toBe(expected)
  })

  test.each([
    [true, []],
    [false, ['public']],
  ])('for an administrator: %j, the refused levels are %j', (administrator, refused) => {
    expect(refusedLevels({ kind: 'user', administrator } as Actor, ['public'])).toEqual(refused)
  })
})

describe('the readme', () => {
  test.each([
    [['readme', 'README.md'], 'README.md'],
    [['README.rst', 'Readme.txt'], 'README.rst'],
    [['readme-old', 'READMEs', 'src'], null],
    [[], null],
    [['README.'], null],
  ])('among %j is %s', (names, expected) => expect(chooseReadme(names)).toBe(expected))
})

describe('settings', () => {
  test('settings without a value in the row have a frozen default', () => {
    expect(settingsOf({ settings: {} })).toBe(projectSettingDefaults)
    expect(Object.isFrozen(projectSettingDefaults)).toBe(true)
    expect(settingsOf({ settings: { lfs_enabled: false } })).toEqual({ ...projectSettingDefaults, lfs_enabled: false })
  })

  test('every default meets its own rules', () => {
    for (const [name, { check, default: initial }] of Object.entries(projectSettings as Definitions)) {
      expect([name, check?.(initial) ?? []]).toEqual([name, []])
    }
  })
})
