import type { Page } from '../../page.ts'
import { groupPackages, packages } from './lists.tsx'
import { onePackage, packageFile } from './package.tsx'

/** The pages about packages, in the order of the navigation. */
export const packagePages: readonly Page[] = [packages, groupPackages, onePackage, packageFile]
