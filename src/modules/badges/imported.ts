import { BadLine, type ImportLine, requiredText, textOf, timesOf } from '../../platform/index.ts'
import { isAddress } from './placeholders.ts'
import { insertBadge } from './store.ts'

const longestName = 255
const longestAddress = 2048

/** Imports a badge of a project or group (contract 14, project_badges, badges). */
export const importBadge: ImportLine = async (_platform, { kind, id }, line) => {
  const [link_url, image_url] = ['link_url', 'image_url'].map((name) => {
    const address = requiredText(line, name, longestAddress)
    if (!isAddress(address)) throw new BadLine(`${name} must be a valid URL`)
    return address
  }) as [string, string]
  const row = {
    project_id: kind === 'project' ? id : null,
    namespace_id: kind === 'group' ? id : null,
    name: textOf(line, 'name', longestName),
    ...{ link_url, image_url, ...timesOf(line) },
  }
  return async (tx) => {
    await insertBadge(tx, row)
  }
}
