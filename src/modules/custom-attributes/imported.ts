import { isAdministrator } from '../../api/index.ts'
import { type ImportLine, requiredText, timesOf } from '../../platform/index.ts'
import { longestKey, longestValue } from './custom-attributes.ts'
import { putAttribute } from './store.ts'

/** Imports a custom attribute of a project for administrators, who alone write and see them (contract 14, custom_attributes). */
export const importCustomAttribute: ImportLine = async (_platform, { kind, id, importer }, line) => {
  const attribute = { key: requiredText(line, 'key', longestKey), value: requiredText(line, 'value', longestValue) }
  const { created_at } = timesOf(line)
  return async (tx) => {
    if (isAdministrator(importer)) await putAttribute(tx, { kind, id }, attribute, created_at)
  }
}
