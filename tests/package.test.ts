/** What installations on other machines rely on: a machine with all packages installed does not notice its absence. */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import { describe, expect, test } from 'vitest'

type LockedPackage = {
  version: string
  resolved?: string
  hasInstallScript?: boolean
  optionalDependencies?: Record<string, string>
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const manifest = read('package.json') as {
  allowScripts: Record<string, boolean>
  devDependencies: Record<string, string>
}
const locked = Object.entries((read('package-lock.json') as { packages: Record<string, LockedPackage> }).packages)
const paths = new Set(locked.map(([path]) => path))

/** Whether a package at `from` finds `name`: below itself, or below one of the folders above. */
function isLocked(name: string, from: string): boolean {
  for (let folder = from; ; folder = dirname(folder)) {
    if (paths.has(folder === '.' ? `node_modules/${name}` : `${folder}/node_modules/${name}`)) return true
    if (folder === '.') return false
  }
}

describe('the lock file', () => {
  test('contains the binaries of every platform', () => {
    const missing = locked.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => path !== '' && !isLocked(name, path)),
    )
    expect(missing).toEqual([])
  })

  test('names no registry', () => {
    expect(locked.filter(([, entry]) => entry.resolved?.startsWith('http')).map(([path]) => path)).toEqual([])
  })

  test('allows or denies every package with an install script', () => {
    const scripted = locked.filter(([, entry]) => entry.hasInstallScript)
    const names = scripted.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    expect(names.filter((name) => !(name in manifest.allowScripts))).toEqual([])
    expect(names).toContain('node')
  })
})

test('the runtime is a development dependency, so users of the package do not install it', () => {
  expect(Object.keys(manifest.devDependencies)).toContain('node')
})
