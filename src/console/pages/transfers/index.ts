import type { Page } from '../../page.ts'
import { downloadedArchive, projectArchive } from './export.tsx'
import { downloadedGroupArchive, groupArchive, groupImportProgress, newGroupImport } from './groups.tsx'
import { importProgress, newImport } from './import.tsx'
import { migrationFailures, newMigration, ownMigration, ownMigrations } from './migrations.tsx'

/** The pages about archives of whole projects and groups, what is made of them, and migrations from other servers. */
export const transferPages: readonly Page[] = [
  ...[projectArchive, downloadedArchive, importProgress, newImport],
  ...[groupArchive, downloadedGroupArchive, groupImportProgress, newGroupImport],
  ...[ownMigrations, newMigration, ownMigration, migrationFailures],
]
