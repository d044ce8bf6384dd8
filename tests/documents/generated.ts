import { join } from 'node:path'
import { commandsDocument } from './commands.ts'
import { settingsDocument } from './settings.ts'

/** The documents that follow from values of the program, by their paths in the project. */
export const generated: Record<string, () => string | Promise<string>> = {
  'docs/settings.md': settingsDocument,
  'docs/commands.md': commandsDocument,
}

/** Where a file of the project is. */
export const pathOf = (name: string) => join(import.meta.dirname, '../..', name)
