/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '57e74e7d914d10894f9a809734e4e37ffb32f4c6607ab328f73309a95132a787',
    postgres: '4b8eb8bb303f73a3e7db225bcbb001fb7baf56a448a321b3a46427d1a8a923c3',
  },
} as const
