import type { Page } from '../../page.ts'
import { downloadedArchive, projectArchive } from './export.tsx'
import { importProgress, newImport } from './import.tsx'

/** The pages about archives of whole projects, and what is made of them. */
export const transferPages: readonly Page[] = [projectArchive, downloadedArchive, importProgress, newImport]
