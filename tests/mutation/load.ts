/**
 * Loaded before anything else into a process that runs tests: it hands out files with their changes instead of the files.
 * `FENNEC_MUTATED` names a JSON file: the texts by URL.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { installSwitch } from './switch.ts'

const texts: Record<string, string> = JSON.parse(readFileSync(process.env.FENNEC_MUTATED ?? '', 'utf8'))

installSwitch()
registerHooks({
  load(url, context, nextLoad) {
    const source = Object.hasOwn(texts, url) ? texts[url] : undefined
    return source === undefined ? nextLoad(url, context) : { format: 'module-typescript', source, shortCircuit: true }
  },
})
