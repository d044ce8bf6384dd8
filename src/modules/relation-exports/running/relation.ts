import type { ExportedFiles, ExportedLines } from '../../../platform/index.ts'

/** A relation of projects or groups (contract 14, "Project relations", "Group relations"). */
export type Relation = {
  name: string
  /** Whether a batched export divides it. */
  batches: boolean
} & (
  | { form: 'object' | 'lines'; lines: ExportedLines }
  | { form: 'archive'; files: ExportedFiles; index?: ArchiveIndex }
)

/** A last file of an archive, made of the paths of the others. */
export type ArchiveIndex = { path: string; contentOf(paths: readonly string[]): string }

/** The name of the file of a relation (contract 14, Files). */
export function fileNameOf({ name, form }: Pick<Relation, 'name' | 'form'>): string {
  return `${name}.${{ object: 'json', lines: 'ndjson', archive: 'tar' }[form]}.gz`
}
