/**
 * `node scripts/manifest.mjs publish` puts the manifest of the published package in the place of `package.json`, `restore` puts the
 * project's own back; `npm pack` and `npm publish` run both. The program is joined with its packages, so that the published one
 * needs few of them, and none of the tools.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadedPackages } from './bundle.mjs'
import { root } from './install.mjs'

const path = join(root, 'package.json')
const saved = join(root, '.cache', 'package.json')

/** What only the project itself needs. */
const ownFields = ['allowScripts', 'devDependencies', 'imports', 'scarfSettings', 'scripts']

function publish() {
  const own = readFileSync(path, 'utf8')
  const manifest = Object.fromEntries(Object.entries(JSON.parse(own)).filter(([name]) => !ownFields.includes(name)))
  const needed = Object.entries(manifest.dependencies).filter(([name]) => loadedPackages.has(name))
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(saved, own)
  writeFileSync(path, `${JSON.stringify({ ...manifest, dependencies: Object.fromEntries(needed) }, null, 2)}\n`)
}

const steps = { publish, restore: () => renameSync(saved, path) }
const step = steps[process.argv[2]]
if (step === undefined) throw new Error('Usage: node scripts/manifest.mjs publish | restore')
step()
