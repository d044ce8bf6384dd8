/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: 'f5cedde41df2602007289b81792f646a78b3093d99b7afef0bfe9ff71ee405d9',
    postgres: '6ed4cb4975d1f00bf57ec4fda44117e8117394ac85d93bf0e231471f72fbd2e3',
  },
} as const
