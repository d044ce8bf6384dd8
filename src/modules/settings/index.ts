import type { Module } from '../../platform/index.ts'
import { keptSettings } from '../../platform/settings/index.ts'
import { aliases } from './aliases.ts'
import * as operations from './operations.ts'

export { schemaOf } from './present.ts'

export const settings: Module = {
  name: 'settings',
  tags: { 'Application settings': 'Settings of the whole instance, for administrators.' },
  operations: Object.values(operations),
}

/** What programs write that keep the whole object, and people need not: settings without effect, and other names. */
export const settingsForPrograms = Object.keys({ ...keptSettings, ...aliases })
