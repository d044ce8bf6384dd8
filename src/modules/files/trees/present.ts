import { oneOf, Type } from '../../../api/index.ts'
import type { TreeEntry } from '../../../infra/git/index.ts'

const entryType = oneOf(['tree', 'blob', 'commit'])

/** An entry of a directory (contract 22, Tree entry). */
export const Entry = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: entryType,
    path: Type.String(),
    mode: Type.String(),
  },
  { title: 'TreeEntry' },
)

export function presentEntry({ oid, name, type, path, mode }: TreeEntry) {
  return { id: oid, name, type, path, mode }
}
