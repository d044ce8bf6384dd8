import { t } from '../../../api/index.ts'

/** The path parameter of a package. */
export const package_id = t.id()
