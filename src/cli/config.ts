import { defineCommand } from 'citty'
import { printableConfig } from '../config.ts'
import { configured } from './configured.ts'

/** `fennec config` */
export const config = defineCommand({
  meta: { name: 'config', description: 'Print the configuration, secrets masked' },
  run() {
    process.stdout.write(`${JSON.stringify(printableConfig(configured()), null, 2)}\n`)
  },
})
