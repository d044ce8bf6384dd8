/**
 * Loaded before anything else into a process that runs tests: it hands out files with their changes instead of the files.
 * `FENNEC_MUTATED` names a JSON file: the texts by URL. Processes of the server that do not get it have the files as they are.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { installSwitch } from './switch.ts'

function handOut(texts: Record<string, string>): void {
  installSwitch()
  registerHooks({
    load(url, context, nextLoad) {
      const source = Object.hasOwn(texts, url) ? texts[url] : undefined
      return source === undefined ? nextLoad(url, context) : { format: 'module-typescript', source, shortCircuit: true }
    },
  })
}

const { FENNEC_MUTATED: file } = process.env
if (file) handOut(JSON.parse(readFileSync(file, 'utf8')))
