/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'ee08ea96d3cd4ded066d146450bb86f4870088a33548f54c023413a6d9f46cc4',
    postgres: '1cd3f1607a48ac90865ef14e0aa452d3f30d82b4a9cb42f51fbe6060de711dfd',
  },
} as const
