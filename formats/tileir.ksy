# Printed from the Construct tree: python -m tileir.formats.mirror. Do not edit.
meta:
  id: tile_ir_bytecode
  title: NVIDIA CUDA Tile IR bytecode
  application: [NVIDIA CUDA Toolkit (tileiras), cuTile]
  file-extension: [tileirbc]
  xref:
    github: NVIDIA/cuda-tile
  license: Apache-2.0
  ks-version: '0.11'
  tags: [executable, gpu]
  endian: le
doc: |
  Kernels for NVIDIA GPUs in terms of tiles, as frontends such as cuTile write them and NVIDIA's
  tileiras compiles them. This describes the public format of versions 13.1 to 13.5,
  and the public-preview content of 13.5 as tileirdisasm reads it. Files of later versions are
  refused: what follows something unknown has no layout, and no list here can end before it.

  A file is a header, sections in any order, and an end marker. Sections hold tables: strings, types,
  constants, debug records. Everything refers to entries of those tables by index. A function is a
  sized run of ops, each an opcode and the fields that it selects; ops nest through regions.

  Later versions add fields, so `_root.version` (1304 is 13.4) decides what is there, and
  `_root.preview` in files that announce public-preview content. The size of a
  number attribute follows from its type, which is why payloads are read when asked for: the Type
  section may come after what refers to it. Of several sections of one kind the last counts.

  More is accepted here than readers accept: sections that are missing, indices that point nowhere,
  entries that overlap, any depth of nesting. Names that are keywords somewhere have a suffix and
  keep their own as `-orig-id`. The key `-index-of` says which table an index points into.
doc-ref: 'https://docs.nvidia.com/cuda/tile-ir/latest/sections/bytecode.html'
seq:
  - id: header
    type: header
    doc: Twelve bytes.
  - id: sections
    type: section(_index.as<s4>)
    repeat: until
    repeat-until: _.index_of_types >= -1 and _.is_end
    doc: In any order; of several of one kind the last counts.
  - id: trailing
    size-eos: true
    valid:
      expr: _.length == 0
    doc: 'Nothing: the end marker is the last byte.'
instances:
  version:
    value: header.version.major * 100 + header.version.minor
    doc: '1304 is 13.4.'
  preview:
    value: 'version == 1305 and (header.tag & 1) != 0'
    doc: Whether there may be public-preview content.
  types:
    value: sections[sections.last.index_of_types].payload.as<type_record_table>
    if: sections.last.index_of_types >= 0
    doc: The type table.
types:
  section:
    -webide-representation: '{kind}'
    doc: A numbered part of the file, or the end marker, which is a single 0.
    params:
      - id: idx
        type: s4
    seq:
      - id: id
        type: u1
        valid:
          any-of: [0, 6, 7, 129, 130, 131, 132, 133, 134, 135]
        doc: Kind of section in bits 0 to 6; bit 7 announces an alignment.
      - id: length
        type: varint
        if: not is_end
        doc: Size of the payload in bytes.
      - id: alignment
        type: varint
        if: is_aligned
        valid:
          expr: >-
            _.value > 0 and (_.value & below_alignment) == 0 and _.value % least_alignment == 0
        doc: A power of two.
      - id: padding
        type: padding(alignment.value)
        if: is_aligned
      - id: raw
        type: raw_bytes
        size: length.value
        if: not is_end
    instances:
      is_end:
        value: id == 0
      is_aligned:
        value: id >= 128
      kind:
        value: 'id % 128'
        enum: section_kind
      below_alignment:
        value: (alignment.value - 1).as<u8>
        if: is_aligned
      least_alignment:
        value: >-
          ((id % 128 == 1 or id % 128 == 5) ? 4 : (id % 128 >= 2 and id % 128 <= 4) ? 8 :
          1).as<u8>
      index_of_types:
        value: >-
          (id % 128 == 5 ? idx : idx == 0 ? (-1).as<s4> : _root.sections[idx -
          1].index_of_types.as<s4>).as<s4>
        doc: Position of the last Type section so far, -1 if there was none.
      payload:
        io: raw._io
        pos: 0
        if: not is_end
        type:
          switch-on: kind
          cases:
            section_kind::string: text_table
            section_kind::producer: producer
            section_kind::type_section: type_record_table
            section_kind::constant: sized_bytes_table
            section_kind::global_section: list_of_global_record
            section_kind::func_section: list_of_function
            section_kind::debug: debug_section
        doc: Read when asked for, so that it may look at the types, wherever they are.
  text_table:
    doc: |
      Entries found by offsets into the bytes after the offsets. An entry runs to where the next
      begins, or to the end where that is not further on; an offset beyond the end means the end.
    seq:
      - id: count
        type: varint
      - id: padding
        type: padding(4)
        if: 'count.value != 0'
      - id: offsets
        type: u4
        repeat: expr
        repeat-expr: count.value
      - id: raw
        type: raw_bytes
        size-eos: true
    instances:
      slots:
        type: text_slot(_index.as<s4>)
        repeat: expr
        repeat-expr: count.value
  text_slot:
    doc: Where an entry lies, counted from the first byte after the offsets, and the entry.
    params:
      - id: idx
        type: s4
    instances:
      limit:
        value: _parent.raw.data.length.as<u4>
      offset:
        value: _parent.offsets[idx]
      following:
        value: >-
          (idx + 1 < _parent.offsets.size.as<s4> ? _parent.offsets[idx + 1] : limit).as<u4>
      start:
        value: '(offset < limit ? offset : limit).as<u4>'
      end:
        value: '(following >= offset and following <= limit ? following : limit).as<u4>'
      entry:
        io: _parent.raw._io
        pos: start
        size: end - start
        type: text
  producer:
    doc: Who wrote the file.
    seq:
      - id: producer
        type: varint32
        -index-of: string
        doc: Free text. Index of a string.
  type_record:
    -webide-representation: '{kind}'
    doc: |
      A type: its tag selects the fields. Element types have none; others name types by index, in
      any order.
    seq:
      - id: tag
        type: varint32
        valid:
          expr: >-
            _.value <= 17 or (_root.version >= 1302 and _.value == 18) or (_root.version >= 1303
            and (_.value >= 19 and _.value <= 22)) or (_root.version >= 1304 and _.value == 130)
            or (_root.preview and (_.value >= 209 and _.value <= 215))
      - id: fields
        type:
          switch-on: kind
          cases:
            type_tag::ptr: type_ptr
            type_tag::tile: type_tile
            type_tag::tensor_view: type_tensor_view
            type_tag::partition_view: type_partition_view
            type_tag::func_tag: type_func
            type_tag::gather_scatter_view: type_gather_scatter_view
            type_tag::strided_view: type_strided_view
            type_tag::preview_sym_t: type_preview_sym_t
            type_tag::preview_fragment: type_preview_fragment
    instances:
      kind:
        value: tag.value
        enum: type_tag
      integer_width:
        value: >-
          (tag.value == 0 ? 1 : tag.value == 1 ? 8 : tag.value == 2 ? 16 : tag.value == 3 ? 32 :
          tag.value == 4 ? 64 : tag.value == 22 ? 4 : 0).as<s4>
        doc: Bits of an integer type, 0 for other types.
      float_width:
        value: >-
          ((tag.value >= 5 and tag.value <= 6) ? 16 : tag.value == 7 ? 32 : tag.value == 8 ? 19 :
          tag.value == 9 ? 64 : ((tag.value >= 10 and tag.value <= 11) or tag.value == 18 or
          tag.value == 130) ? 8 : tag.value == 19 ? 4 : 0).as<s4>
        doc: Bits of a floating-point type, 0 for other types.
  ptr_attr_enum:
    -webide-representation: '{value}'
    doc: What kind of address a pointer holds. Since 13.4.
    seq:
      - id: number
        type: varint32
        valid:
          expr: >-
            (_root.version >= 1304 and _.value == 0) or (_root.version >= 1305 and (_.value >= 1
            and _.value <= 2))
    instances:
      value:
        value: number.value
        enum: ptr_attr
  type_ptr:
    doc: Pointer to elements of a scalar type.
    seq:
      - id: flags
        type: varint
        valid:
          expr: _.value < 2
        if: _root.version >= 1304
        doc: 'Whether `ptr_attr` follows. Bit 0 ptr_attr. Since 13.4.'
      - id: pointee
        type: varint32
        -index-of: type
        doc: 'What it points to: an element type or a pointer. Index of a type.'
      - id: ptr_attr
        type: ptr_attr_enum
        if: '_root.version >= 1304 and (flags.value & 1) != 0'
        doc: What kind of address it holds; absent means none. Since 13.4.
  list_of_s8:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: s8
        repeat: expr
        repeat-expr: count.value
  attribute:
    -webide-representation: '{kind}'
    doc: A value known when the module is written; its tag selects the fields.
    seq:
      - id: tag
        type: varint32
        valid:
          expr: >-
            (_.value >= 1 and _.value <= 12) or (_root.version >= 1305 and _.value == 13) or
            (_root.preview and ((_.value >= 209 and _.value <= 224) or (_.value >= 226 and _.value
            <= 228)))
      - id: fields
        type:
          switch-on: kind
          cases:
            attribute_tag::integer: attribute_integer
            attribute_tag::float_tag: attribute_float
            attribute_tag::bool_tag: attribute_bool
            attribute_tag::type_tag: attribute_type
            attribute_tag::string: attribute_string
            attribute_tag::array: attribute_array
            attribute_tag::dense_elements: attribute_dense_elements
            attribute_tag::div_by: attribute_div_by
            attribute_tag::same_elements: attribute_same_elements
            attribute_tag::dictionary: attribute_dictionary
            attribute_tag::optimization_hints: attribute_optimization_hints
            attribute_tag::bounded: attribute_bounded
            attribute_tag::multimem_reduction_kind: attribute_multimem_reduction_kind
            attribute_tag::expr_int: attribute_expr_int
            attribute_tag::expr_var: attribute_expr_var
            attribute_tag::expr_mul: attribute_expr_mul
            attribute_tag::expr_div: attribute_expr_div
            attribute_tag::expr_add: attribute_expr_add
            attribute_tag::expr_sub: attribute_expr_sub
            attribute_tag::expr_floor_div: attribute_expr_floor_div
            attribute_tag::symbolic_tuple: attribute_symbolic_tuple
            attribute_tag::layout: attribute_layout
            attribute_tag::expr_ceil_div: attribute_expr_ceil_div
            attribute_tag::concrete_type: attribute_concrete_type
            attribute_tag::expr_neg: attribute_expr_neg
            attribute_tag::memory_space: attribute_memory_space
            attribute_tag::synchronization: attribute_synchronization
            attribute_tag::access: attribute_access
            attribute_tag::scratch_request: attribute_scratch_request
            attribute_tag::const_param: attribute_const_param
            attribute_tag::expr_builtin: attribute_expr_builtin
            attribute_tag::expr_const_str: attribute_expr_const_str
    instances:
      kind:
        value: tag.value
        enum: attribute_tag
  integer_bits:
    -webide-representation: '{value:hex}'
    doc: |
      The bit pattern of a number of `width` bits. Integers: i1 takes a byte, others a varint of
      the zero-extended pattern.
    params:
      - id: width
        type: s4
        doc: Of the type it names; 0 is an error.
    seq:
      - id: byte_value
        type: u1
        if: width == 1
      - id: number
        type: varint
        if: not width == 1
        valid:
          expr: >-
            width == 64 or (width == 4 and _.half < 8.as<u8>) or (width == 8 and _.half <
            128.as<u8>) or (width == 16 and _.half < 32768.as<u8>) or (width == 32 and _.half <
            2147483648.as<u8>)
    instances:
      value:
        value: '(width == 1 ? (byte_value != 0 ? 1 : 0).as<u8> : number.value).as<u8>'
  attribute_integer:
    doc: Integer of a given type.
    seq:
      - id: type_field
        -orig-id: type
        type: varint32
        -index-of: type
        doc: An integer type. Index of a type.
      - id: bits
        type: integer_bits(_root.types.slots[type_field.value].entry.integer_width)
        doc: 'Its two''s-complement pattern.'
  float_bits:
    -webide-representation: '{value:hex}'
    doc: |
      The bit pattern of a number of `width` bits. Floats: up to 8 bits take a byte, others a
      zigzag varint of the pattern read as a signed 64-bit number. cuTile 1.7.0 does not wrap a
      negative f64 to 64 bits, so that 65 bits arrive; NVIDIA's readers lose the sign then, here
      the value is what was meant.
    params:
      - id: width
        type: s4
        doc: Of the type it names; 0 is an error.
    seq:
      - id: byte_value
        type: u1
        if: (width == 4 or width == 8)
        valid:
          expr: (width == 4 and _ <= 15) or (width == 8 and _ <= 255)
      - id: number
        type: varint
        if: not (width == 4 or width == 8)
        valid:
          expr: >-
            width == 64 or (_.lowest == 0 and (width == 64 or (width == 16 and _.half <
            65536.as<u8>) or (width == 19 and _.half < 524288.as<u8>) or (width == 32 and _.half <
            4294967296.as<u8>)))
    instances:
      value:
        value: >-
          ((width == 4 or width == 8) ? byte_value.as<u8> : (excess > 1 ? wide : number.lowest ==
          0 ? number.half : last - number.half)).as<u8>
      excess:
        value: '(number.groups.size > 9 ? number.groups[9].bits : 0.as<u8>).as<u8>'
        doc: Bits 63 and up, as they were written.
      last:
        value: '18446744073709551615.as<u8>'
        doc: '2^64 - 1'
      wide:
        value: '(number.half + (excess / 2 % 2) * (number.groups[9].weight * 2)).as<u8>'
        doc: A pattern of 64 bits that was doubled.
  attribute_float:
    doc: Floating-point number of a given type, as its bit pattern.
    seq:
      - id: type_field
        -orig-id: type
        type: varint32
        -index-of: type
        doc: A floating-point type. Index of a type.
      - id: bits
        type: float_bits(_root.types.slots[type_field.value].entry.float_width)
        doc: Its pattern.
  attribute_bool:
    doc: Truth value.
    seq:
      - id: truth
        type: u1
        doc: Anything but 0 is true.
  attribute_type:
    doc: A type.
    seq:
      - id: type_field
        -orig-id: type
        type: varint32
        -index-of: type
        doc: The type. Index of a type.
  attribute_string:
    doc: A string.
    seq:
      - id: string
        type: varint32
        -index-of: string
        doc: The string. Index of a string.
  list_of_attribute:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: attribute
        repeat: expr
        repeat-expr: count.value
  attribute_array:
    doc: Any attributes in order.
    seq:
      - id: elements
        type: list_of_attribute
        doc: Any attributes.
  attribute_dense_elements:
    doc: 'A tile''s worth of numbers.'
    seq:
      - id: type_field
        -orig-id: type
        type: varint32
        -index-of: type
        doc: A tile type. Index of a type.
      - id: constant
        type: varint32
        -index-of: constant
        doc: Its elements. Index of a constant.
  attribute_div_by:
    doc: 'Assumption: divisible by `divisor`, every `every` elements along dimension `along`.'
    seq:
      - id: divisor
        type: varint
        doc: The divisor.
      - id: flags
        type: varint
        valid:
          expr: _.value < 4
        doc: Which of the two follow. Bit 0 every; bit 1 along.
      - id: every
        type: signed_varint
        if: '(flags.value & 1) != 0'
        doc: The distance between the elements meant.
      - id: along
        type: signed_varint
        if: '(flags.value & 2) != 0'
        doc: The dimension meant.
  attribute_same_elements:
    doc: 'Assumption: groups of this many neighbours along each dimension are equal.'
    seq:
      - id: groups
        type: list_of_s8
        doc: A size for each dimension.
  dictionary_entry:
    doc: An attribute and its name.
    seq:
      - id: key
        type: varint32
        -index-of: string
        doc: Its name. Index of a string.
      - id: value
        type: attribute
        doc: Any attribute.
  list_of_dictionary_entry:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: dictionary_entry
        repeat: expr
        repeat-expr: count.value
  attribute_dictionary:
    doc: Named attributes.
    seq:
      - id: entries
        type: list_of_dictionary_entry
        doc: By name.
  attribute_optimization_hints:
    doc: Hints by architecture; they never change a result.
    seq:
      - id: entries
        type: list_of_dictionary_entry
        doc: 'Architecture (or `default`) to a dictionary of hints.'
  attribute_bounded:
    doc: 'Assumption: signed inclusive bounds.'
    seq:
      - id: flags
        type: varint
        valid:
          expr: _.value < 4
        doc: Which bounds follow. Bit 0 lower; bit 1 upper.
      - id: lower
        type: signed_varint
        if: '(flags.value & 1) != 0'
        doc: The least value.
      - id: upper
        type: signed_varint
        if: '(flags.value & 2) != 0'
        doc: The greatest value.
  multimem_reduction_kind_enum:
    -webide-representation: '{value}'
    doc: How the replicas behind a multicast address are combined. Since 13.5.
    seq:
      - id: number
        type: varint32
        valid:
          expr: (_root.version >= 1305 and _.value <= 7)
    instances:
      value:
        value: number.value
        enum: multimem_reduction_kind
  attribute_multimem_reduction_kind:
    doc: How multicast replicas are combined. Since 13.5.
    seq:
      - id: reduction
        type: multimem_reduction_kind_enum
        doc: The reduction.
  attribute_expr_int:
    doc: 'Expression: a number. Since 13.5 preview.'
    seq:
      - id: number
        type: signed_varint
        doc: The number.
  attribute_expr_var:
    doc: 'Expression: the value of a parameter of an extern function. Since 13.5 preview.'
    seq:
      - id: name
        type: varint32
        -index-of: string
        doc: The name of the parameter. Index of a string.
  attribute_expr_mul:
    doc: 'Expression: a product. Since 13.5 preview.'
    seq:
      - id: lhs
        type: attribute
        doc: An expression.
      - id: rhs
        type: attribute
        doc: An expression.
  attribute_expr_div:
    doc: 'Expression: a quotient. Since 13.5 preview.'
    seq:
      - id: lhs
        type: attribute
        doc: An expression.
      - id: rhs
        type: attribute
        doc: An expression.
  attribute_expr_add:
    doc: 'Expression: a sum. Since 13.5 preview.'
    seq:
      - id: lhs
        type: attribute
        doc: An expression.
      - id: rhs
        type: attribute
        doc: An expression.
  attribute_expr_sub:
    doc: 'Expression: a difference. Since 13.5 preview.'
    seq:
      - id: lhs
        type: attribute
        doc: An expression.
      - id: rhs
        type: attribute
        doc: An expression.
  attribute_expr_floor_div:
    doc: 'Expression: a quotient, rounded down. Since 13.5 preview.'
    seq:
      - id: lhs
        type: attribute
        doc: An expression.
      - id: rhs
        type: attribute
        doc: An expression.
  attribute_symbolic_tuple:
    doc: Expressions in order, such as the extents of a tile. Since 13.5 preview.
    seq:
      - id: elements
        type: list_of_attribute
        doc: The expressions.
  attribute_layout:
    doc: |
      A map from coordinates to numbers: the sum of coordinates times strides. Since 13.5 preview.
    seq:
      - id: shape
        type: list_of_attribute
        doc: How many coordinates each mode has; a mode may be a tuple.
      - id: stride
        type: list_of_attribute
        doc: 'The distance of each mode''s coordinates.'
  attribute_expr_ceil_div:
    doc: 'Expression: a quotient, rounded up. Since 13.5 preview.'
    seq:
      - id: lhs
        type: attribute
        doc: An expression.
      - id: rhs
        type: attribute
        doc: An expression.
  attribute_concrete_type:
    doc: 'Expression: a type. Since 13.5 preview.'
    seq:
      - id: type_field
        -orig-id: type
        type: varint32
        -index-of: type
        doc: The type. Index of a type.
  attribute_expr_neg:
    doc: 'Expression: a negated one. Since 13.5 preview.'
    seq:
      - id: operand
        type: attribute
        doc: An expression.
  memory_space_enum:
    -webide-representation: '{value}'
    doc: Where the elements of a fragment are while an extern function runs. Since 13.5 preview.
    seq:
      - id: number
        type: varint32
        valid:
          expr: (_root.preview and _.value <= 1)
    instances:
      value:
        value: number.value
        enum: memory_space
  attribute_memory_space:
    doc: Where a fragment is. Since 13.5 preview.
    seq:
      - id: space
        type: memory_space_enum
        doc: The memory.
  synchronization_enum:
    -webide-representation: '{value}'
    doc: Which threads an extern function synchronises. Since 13.5 preview.
    seq:
      - id: number
        type: varint32
        valid:
          expr: (_root.preview and _.value <= 3)
    instances:
      value:
        value: number.value
        enum: synchronization
  attribute_synchronization:
    doc: Which threads an extern function synchronises. Since 13.5 preview.
    seq:
      - id: synchronization
        type: synchronization_enum
        doc: The threads.
  access_enum:
    -webide-representation: '{value}'
    doc: What an extern function does with a parameter. Since 13.5 preview.
    seq:
      - id: number
        type: varint32
        valid:
          expr: (_root.preview and _.value <= 2)
    instances:
      value:
        value: number.value
        enum: access
  attribute_access:
    doc: What an extern function does with a parameter. Since 13.5 preview.
    seq:
      - id: access
        type: access_enum
        doc: How it is accessed.
  attribute_scratch_request:
    doc: Shared memory that an implementation needs for itself. Since 13.5 preview.
    seq:
      - id: size
        type: attribute
        doc: 'An expression: its size in bytes.'
      - id: alignment
        type: attribute
        doc: 'An expression: its alignment in bytes.'
  attribute_const_param:
    doc: |
      A parameter of an extern function that is known when it is compiled. Since 13.5 preview.
    seq:
      - id: name
        type: varint32
        -index-of: string
        doc: 'Its name; `?` for one without. Index of a string.'
      - id: type_field
        -orig-id: type
        type: varint32
        -index-of: type
        doc: 'index, preview$shape, preview$Datatype or preview$string. Index of a type.'
  attribute_expr_builtin:
    doc: 'Expression: a value that the compiler knows. Since 13.5 preview.'
    seq:
      - id: name
        type: varint32
        -index-of: string
        doc: 'Its dotted name, such as `context.x`. Index of a string.'
      - id: type_field
        -orig-id: type
        type: varint32
        -index-of: type
        doc: index. Index of a type.
  attribute_expr_const_str:
    doc: 'Expression: a string. Since 13.5 preview.'
    seq:
      - id: string
        type: varint32
        -index-of: string
        doc: The string. Index of a string.
  type_tile:
    doc: Immutable array of elements with a static shape; rank 0 is a scalar.
    seq:
      - id: element
        type: varint32
        -index-of: type
        doc: An element type or a pointer. Index of a type.
      - id: shape
        type: list_of_s8
        doc: A size for each dimension.
      - id: symbolic_shape
        type: attribute
        if: not _io.eof
        valid:
          expr: _root.preview
        doc: |
          A SymbolicTuple of all extents if some are expressions, which are dynamic in `shape`;
          only in files with public-preview content, and nothing where the record ends.
  type_tensor_view:
    doc: 'Array in memory: base pointer, shape and strides, static or dynamic.'
    seq:
      - id: flags
        type: varint
        valid:
          expr: _.value < 2
        if: _root.version >= 1304
        doc: 'Whether `ptr_attr` follows. Bit 0 ptr_attr. Since 13.4.'
      - id: element
        type: varint32
        -index-of: type
        doc: An element type or a pointer. Index of a type.
      - id: shape
        type: list_of_s8
        doc: A size for each dimension.
      - id: strides
        type: list_of_s8
        doc: A distance in elements for each dimension.
      - id: ptr_attr
        type: ptr_attr_enum
        if: '_root.version >= 1304 and (flags.value & 1) != 0'
        doc: What kind of address it holds; absent means none. Since 13.4.
  list_of_s4:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: s4
        repeat: expr
        repeat-expr: count.value
  padding_value_enum:
    -webide-representation: '{value}'
    doc: What a view load gives for elements outside the tensor.
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 4
    instances:
      value:
        value: number.value
        enum: padding_value
  type_partition_view:
    doc: Tensor view cut into a grid of equal tiles.
    seq:
      - id: flags
        type: varint
        valid:
          expr: _.value < 2
        if: _root.version >= 1303
        doc: 'Whether `padding_value` follows. Bit 0 padding_value. Since 13.3.'
      - id: tile
        type: list_of_s4
        doc: The shape of its tiles.
      - id: view
        type: varint32
        -index-of: type
        doc: The tensor view that is cut. Index of a type.
      - id: dim_map
        type: list_of_s4
        doc: The dimension of the tensor for each one of the tile.
      - id: has_padding
        type: u1
        if: _root.version < 1303
        doc: 'Not 0 if `padding_value` follows. Not in 13.3 and later.'
      - id: padding_value
        type: padding_value_enum
        if: >-
          (_root.version < 1303 and has_padding != 0) or (_root.version >= 1303 and (flags.value &
          1) != 0)
        doc: What a load gives outside the tensor.
  list_of_varint32:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: varint32
        repeat: expr
        repeat-expr: count.value
  type_func:
    doc: 'Signature: parameter and result types.'
    seq:
      - id: parameters
        type: list_of_varint32
        -index-of: type
        doc: 'The types of the entry block''s arguments.'
      - id: results
        type: list_of_varint32
        -index-of: type
        doc: None in a kernel.
  type_gather_scatter_view:
    doc: Tensor view whose tiles pick single positions along one dimension. Since 13.3.
    seq:
      - id: flags
        type: varint
        valid:
          expr: _.value < 2
        doc: 'Whether `padding_value` follows. Bit 0 padding_value.'
      - id: tile
        type: list_of_s4
        doc: The shape of its tiles.
      - id: view
        type: varint32
        -index-of: type
        doc: The tensor view that is cut. Index of a type.
      - id: sparse_dim
        type: varint32
        doc: The dimension along which single positions are picked.
      - id: padding_value
        type: padding_value_enum
        if: '(flags.value & 1) != 0'
        doc: What a load gives outside the tensor.
  type_strided_view:
    doc: |
      Tensor view whose tiles start every `traversal_strides` elements, with overlap or gaps.
      Since 13.3.
    seq:
      - id: flags
        type: varint
        valid:
          expr: _.value < 2
        doc: 'Whether `padding_value` follows. Bit 0 padding_value.'
      - id: tile
        type: list_of_s4
        doc: The shape of its tiles.
      - id: traversal_strides
        type: list_of_s4
        doc: From one tile to the next, for each dimension.
      - id: view
        type: varint32
        -index-of: type
        doc: The tensor view that is cut. Index of a type.
      - id: dim_map
        type: list_of_s4
        doc: The dimension of the tensor for each one of the tile.
      - id: padding_value
        type: padding_value_enum
        if: '(flags.value & 1) != 0'
        doc: What a load gives outside the tensor.
  type_preview_sym_t:
    doc: An element type that a parameter of an extern function stands for. Since 13.5 preview.
    seq:
      - id: symbol
        type: attribute
        doc: 'An ExprVar: the parameter.'
  type_preview_fragment:
    doc: What an implementation of an extern function gets of a tile. Since 13.5 preview.
    seq:
      - id: symbolic_shape
        type: attribute
        doc: A SymbolicTuple of its extents.
      - id: shape
        type: list_of_s8
        doc: The extents; dynamic where they are expressions.
      - id: element
        type: varint32
        -index-of: type
        doc: An element type or a pointer. Index of a type.
      - id: memory_space
        type: memory_space_enum
        doc: Where it is.
      - id: mem_layout
        type: attribute
        doc: 'A Layout: where an element is in its memory.'
      - id: fragmap
        type: attribute
        doc: |
          A Layout of three modes, invocation, participant and footprint: who has an element.
      - id: alignment
        type: attribute
        doc: 'An expression: the alignment of its memory.'
  type_record_table:
    doc: |
      Entries found by offsets into the bytes after the offsets. An entry runs to where the next
      begins, or to the end where that is not further on; an offset beyond the end means the end.
    seq:
      - id: count
        type: varint
      - id: padding
        type: padding(4)
        if: 'count.value != 0'
      - id: offsets
        type: u4
        repeat: expr
        repeat-expr: count.value
      - id: raw
        type: raw_bytes
        size-eos: true
    instances:
      slots:
        type: type_record_slot(_index.as<s4>)
        repeat: expr
        repeat-expr: count.value
  type_record_slot:
    doc: Where an entry lies, counted from the first byte after the offsets, and the entry.
    params:
      - id: idx
        type: s4
    instances:
      limit:
        value: _parent.raw.data.length.as<u4>
      offset:
        value: _parent.offsets[idx]
      following:
        value: >-
          (idx + 1 < _parent.offsets.size.as<s4> ? _parent.offsets[idx + 1] : limit).as<u4>
      start:
        value: '(offset < limit ? offset : limit).as<u4>'
      end:
        value: '(following >= offset and following <= limit ? following : limit).as<u4>'
      entry:
        io: _parent.raw._io
        pos: start
        size: end - start
        type: type_record
  sized_bytes_table:
    doc: |
      Entries found by offsets into the bytes after the offsets. An entry runs to where the next
      begins, or to the end where that is not further on; an offset beyond the end means the end.
    seq:
      - id: count
        type: varint
      - id: padding
        type: padding(8)
        if: 'count.value != 0'
      - id: offsets
        type: u8
        repeat: expr
        repeat-expr: count.value
      - id: raw
        type: raw_bytes
        size-eos: true
    instances:
      slots:
        type: sized_bytes_slot(_index.as<s4>)
        repeat: expr
        repeat-expr: count.value
  sized_bytes_slot:
    doc: Where an entry lies, counted from the first byte after the offsets, and the entry.
    params:
      - id: idx
        type: s4
    instances:
      limit:
        value: _parent.raw.data.length.as<u8>
      offset:
        value: _parent.offsets[idx]
      following:
        value: >-
          (idx + 1 < _parent.offsets.size.as<s4> ? _parent.offsets[idx + 1] : limit).as<u8>
      start:
        value: '(offset < limit ? offset : limit).as<u8>'
      end:
        value: '(following >= offset and following <= limit ? following : limit).as<u8>'
      entry:
        io: _parent.raw._io
        pos: start
        size: end - start
        type: sized_bytes
  global_record:
    doc: A variable of the module.
    seq:
      - id: name
        type: varint32
        -index-of: string
        doc: Unique in the module. Index of a string.
      - id: type_field
        -orig-id: type
        type: varint32
        -index-of: type
        doc: 'A tile of rank 1: what the contents are. Index of a type.'
      - id: value
        type: varint32
        -index-of: constant
        doc: The first contents. Index of a constant.
      - id: alignment
        type: varint
        doc: In bytes; 0 leaves it open.
      - id: visibility
        type: symbol_visibility_enum
        if: _root.version >= 1303
        doc: Whether other modules can see it. Since 13.3; before, public.
      - id: constant
        type: varint
        if: _root.version >= 1303
        doc: Not 0 if kernels only read it. Since 13.3; before, 0.
  symbol_visibility_enum:
    -webide-representation: '{value}'
    doc: Whether a symbol can be seen from outside its module.
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 1
    instances:
      value:
        value: number.value
        enum: symbol_visibility
  list_of_global_record:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: global_record
        repeat: expr
        repeat-expr: count.value
  function:
    doc: A kernel; in preview files also an extern function.
    seq:
      - id: name
        type: varint32
        -index-of: string
        doc: The symbol by which the host launches it. Index of a string.
      - id: signature
        type: varint32
        -index-of: type
        doc: 'A func type: the parameters; no results, if it is a kernel. Index of a type.'
      - id: flags
        type: u1
        valid:
          expr: >-
            ((_ & 2) != 0 and (_root.version < 1305 or _ <= 3)) or (_root.preview and (_ & 2) == 0
            and _ <= 5)
        doc: |
          With `kernel`, except for functions in public preview; from 13.5 on, bit 2 is not
          `hints` but says that a function is an implementation of an extern one. Bit 0 private;
          bit 1 kernel; bit 2 hints.
      - id: location
        type: varint32
        -index-of: debug list
        doc: Its list in the Debug section, 1-based; 0 is none. Index of a debug list.
      - id: hints
        type: attribute
        if: >-
          (_root.version < 1305 and (flags & 2) != 0 and (flags & 4) != 0) or (_root.version >=
          1305 and (flags & 2) != 0)
        doc: Optimization hints.
      - id: argument_attributes
        type: attribute
        if: >-
          (_root.version >= 1305 and not _root.preview and (flags & 2) != 0) or (_root.preview and
          (flags & 4) == 0)
        doc: An array with a dictionary for each parameter, or an empty array. Since 13.5.
      - id: implementation
        type: implementation
        if: '_root.preview and (flags & 4) != 0'
        doc: What an implementation implements, and how. Since 13.5 preview.
      - id: body
        type: function_body
        doc: Its ops, in order; none if it is no kernel.
      - id: const_params
        type: attribute
        if: '_root.preview and (flags & 6) == 0'
        doc: |
          An array with a ConstParam for each constant parameter of an extern function. Since 13.5
          preview.
  implementation:
    doc: What an implementation of an extern function implements.
    seq:
      - id: flags
        type: varint
        doc: |
          Bit 0 const_params; bit 1 const_args; bit 2 arg_attrs; bit 3 res_attrs; bit 4
          scratch_smem; bit 5 config; bit 6 arch; bit 7 frontendABI; bit 8 synchronization.
      - id: sym_name
        type: varint32
        -index-of: string
        doc: Index of a string.
      - id: implements_field
        -orig-id: implements
        type: varint32
        -index-of: string
        doc: Index of a string.
      - id: const_params
        type: list_of_attribute
        if: '(flags.value & 1) != 0'
      - id: const_args
        type: list_of_attribute
        if: '(flags.value & 2) != 0'
      - id: function_type
        type: varint32
        -index-of: type
        doc: Index of a type.
      - id: arg_attrs
        type: list_of_attribute
        if: '(flags.value & 4) != 0'
      - id: res_attrs
        type: list_of_attribute
        if: '(flags.value & 8) != 0'
      - id: scratch_smem
        type: scratch_request
        if: '(flags.value & 16) != 0'
      - id: config
        type: list_of_dictionary_entry
        if: '(flags.value & 32) != 0'
      - id: arch
        type: list_of_attribute
        if: '(flags.value & 64) != 0'
      - id: frontend_abi
        -orig-id: frontendABI
        type: list_of_dictionary_entry
        if: '(flags.value & 128) != 0'
      - id: synchronization
        type: synchronization_enum
        if: '(flags.value & 256) != 0'
      - id: regions
        type: regions(1)
  scratch_request:
    doc: Shared memory that an implementation needs.
    seq:
      - id: size
        type: attribute
        doc: 'An expression: its size in bytes.'
      - id: alignment
        type: attribute
        doc: 'An expression: its alignment in bytes.'
  block:
    doc: The types of its arguments, then its ops.
    seq:
      - id: arguments
        type: list_of_varint32
        -index-of: type
      - id: ops
        type: list_of_op
  op:
    -webide-representation: '{mnemonic}'
    doc: |
      An op: its opcode selects the fields. Result types first, then flags, attributes,
      operands and regions.

      Operands are value numbers. The parameters of the function are 0, 1, ...; the results of
      an op take the next numbers, after those in its regions are given back: a block numbers
      its arguments, then its ops, from where its op stands. (Kaitai cannot count across
      siblings, so numbers are not resolved here.)
    seq:
      - id: opcode
        type: varint32
        valid:
          expr: >-
            (_.value <= 21 or (_.value >= 23 and _.value <= 24) or (_.value >= 37 and _.value <=
            48) or (_.value >= 50 and _.value <= 51) or (_.value >= 58 and _.value <= 74) or
            (_.value >= 76 and _.value <= 109)) or (_root.version >= 1302 and _.value == 110) or
            (_root.version >= 1303 and (_.value >= 111 and _.value <= 117)) or (_root.version >=
            1304 and (_.value >= 118 and _.value <= 122)) or (_root.version >= 1305 and (_.value
            >= 123 and _.value <= 125)) or (_root.preview and _.value == 16386)
      - id: fields
        type:
          switch-on: mnemonic
          cases:
            opcode::absf: op_absf
            opcode::absi: op_absi
            opcode::addf: op_addf
            opcode::addi: op_addi
            opcode::andi: op_andi
            opcode::assert_op: op_assert
            opcode::assume: op_assume
            opcode::atomic_cas_tko: op_atomic_cas_tko
            opcode::atomic_rmw_tko: op_atomic_rmw_tko
            opcode::bitcast: op_bitcast
            opcode::break_op: op_break
            opcode::broadcast: op_broadcast
            opcode::cat: op_cat
            opcode::ceil: op_ceil
            opcode::cmpf: op_cmpf
            opcode::cmpi: op_cmpi
            opcode::constant: op_constant
            opcode::continue_op: op_continue
            opcode::cos: op_cos
            opcode::cosh: op_cosh
            opcode::divf: op_divf
            opcode::divi: op_divi
            opcode::exp: op_exp
            opcode::exp2: op_exp2
            opcode::exti: op_exti
            opcode::extract: op_extract
            opcode::floor: op_floor
            opcode::fma: op_fma
            opcode::for_op: op_for
            opcode::ftof: op_ftof
            opcode::ftoi: op_ftoi
            opcode::get_global: op_get_global
            opcode::get_index_space_shape: op_get_index_space_shape
            opcode::get_num_tile_blocks: op_get_num_tile_blocks
            opcode::get_tensor_shape: op_get_tensor_shape
            opcode::get_tile_block_id: op_get_tile_block_id
            opcode::if_op: op_if
            opcode::int_to_ptr: op_int_to_ptr
            opcode::iota: op_iota
            opcode::itof: op_itof
            opcode::join_tokens: op_join_tokens
            opcode::load_ptr_tko: op_load_ptr_tko
            opcode::load_view_tko: op_load_view_tko
            opcode::log: op_log
            opcode::log2: op_log2
            opcode::loop_op: op_loop
            opcode::make_partition_view: op_make_partition_view
            opcode::make_tensor_view: op_make_tensor_view
            opcode::make_token: op_make_token
            opcode::maxf: op_maxf
            opcode::maxi: op_maxi
            opcode::minf: op_minf
            opcode::mini: op_mini
            opcode::mmaf: op_mmaf
            opcode::mmai: op_mmai
            opcode::mulf: op_mulf
            opcode::mulhii: op_mulhii
            opcode::muli: op_muli
            opcode::negf: op_negf
            opcode::negi: op_negi
            opcode::offset: op_offset
            opcode::ori: op_ori
            opcode::permute: op_permute
            opcode::fpowf: op_fpowf
            opcode::print_tko: op_print_tko
            opcode::ptr_to_int: op_ptr_to_int
            opcode::ptr_to_ptr: op_ptr_to_ptr
            opcode::reduce: op_reduce
            opcode::remf: op_remf
            opcode::remi: op_remi
            opcode::reshape: op_reshape
            opcode::return_op: op_return
            opcode::rsqrt: op_rsqrt
            opcode::scan: op_scan
            opcode::select_op: op_select
            opcode::shli: op_shli
            opcode::shri: op_shri
            opcode::sin: op_sin
            opcode::sinh: op_sinh
            opcode::sqrt: op_sqrt
            opcode::store_ptr_tko: op_store_ptr_tko
            opcode::store_view_tko: op_store_view_tko
            opcode::subf: op_subf
            opcode::subi: op_subi
            opcode::tan: op_tan
            opcode::tanh: op_tanh
            opcode::trunci: op_trunci
            opcode::xori: op_xori
            opcode::yield_op: op_yield
            opcode::atan2: op_atan2
            opcode::pack: op_pack
            opcode::unpack: op_unpack
            opcode::alloca: op_alloca
            opcode::mmaf_scaled: op_mmaf_scaled
            opcode::make_gather_scatter_view: op_make_gather_scatter_view
            opcode::make_strided_view: op_make_strided_view
            opcode::atomic_red_view_tko: op_atomic_red_view_tko
            opcode::insert: op_insert
            opcode::gdc_launch_dependents_tko: op_gdc_launch_dependents_tko
            opcode::gdc_wait_tko: op_gdc_wait_tko
            opcode::fpowi: op_fpowi
            opcode::memory_fence_alias_tko: op_memory_fence_alias_tko
            opcode::multimem_load_reduce_view_tko: op_multimem_load_reduce_view_tko
            opcode::multimem_reduce_view_tko: op_multimem_reduce_view_tko
            opcode::multimem_store_view_tko: op_multimem_store_view_tko
            opcode::preview_call: op_preview_call
    instances:
      mnemonic:
        value: opcode.value
        enum: opcode
  op_absf:
    doc: Clear the sign bit, also of a NaN.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_absi:
    doc: Absolute value of a signed number as an unsigned one, so that every result fits.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  rounding_mode_enum:
    -webide-representation: '{value}'
    doc: How a result that cannot be represented is rounded, or how precisely it is computed.
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 6 or (_root.version >= 1304 and _.value == 7)
    instances:
      value:
        value: number.value
        enum: rounding_mode
  op_addf:
    doc: Sum of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 flush_to_zero.
      - id: rounding_mode
        type: rounding_mode_enum
        doc: How the result is rounded.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
    instances:
      flush_to_zero:
        value: '(flags.value & 1) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  integer_overflow_enum:
    -webide-representation: '{value}'
    doc: What the producer promises about overflow; a broken promise is undefined behaviour.
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 3
    instances:
      value:
        value: number.value
        enum: integer_overflow
  op_addi:
    doc: Sum of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: overflow
        type: integer_overflow_enum
        doc: The promise about overflow; a broken promise is undefined behaviour.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_andi:
    doc: Bitwise and of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_assert:
    doc: |
      Report every element that is 0: the message is printed and the launch fails. The kernel may
      run on.
    seq:
      - id: message
        type: varint32
        -index-of: string
        doc: The text to print. Index of a string.
      - id: condition
        type: varint32
        -index-of: value
        doc: '1 where all is well.'
  op_assume:
    doc: |
      Promise that a predicate holds for a value, which is the result. Undefined behaviour if the
      predicate does not hold.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: predicate
        type: attribute
        doc: A DivBy, SameElements or Bounded attribute.
      - id: value
        type: varint32
        -index-of: value
        doc: A tile of integers or pointers; for DivBy also a tensor view.
  memory_ordering_semantics_enum:
    -webide-representation: '{value}'
    doc: How strongly a memory operation is ordered beyond what tokens say.
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 4
    instances:
      value:
        value: number.value
        enum: memory_ordering_semantics
  memory_scope_enum:
    -webide-representation: '{value}'
    doc: The set of threads among which a memory operation is ordered.
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 2
    instances:
      value:
        value: number.value
        enum: memory_scope
  op_atomic_cas_tko:
    doc: 'Compare and swap: where memory holds `cmp`, bit by bit, store `val`.'
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 2
        doc: Of result, result_token.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 mask; bit 1 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        doc: The threads among which it is ordered.
      - id: pointers
        type: varint32
        -index-of: value
        doc: The addresses; the pointee is the element type.
      - id: cmp
        type: varint32
        -index-of: value
        doc: The expected value.
      - id: val
        type: varint32
        -index-of: value
        doc: The value to store.
      - id: mask
        type: varint32
        -index-of: value
        if: '(flags.value & 1) != 0'
        doc: 'Elements with 0 are left out: no access, no fault.'
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 2) != 0'
        doc: A token of operations that must have happened before.
  atomic_rmw_mode_enum:
    -webide-representation: '{value}'
    doc: What an atomic read-modify-write does to the element in memory.
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 9
    instances:
      value:
        value: number.value
        enum: atomic_rmw_mode
  op_atomic_rmw_tko:
    doc: Combine an element with what each pointer points to.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 2
        doc: Of result, result_token.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 mask; bit 1 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        doc: The threads among which it is ordered.
      - id: mode
        type: atomic_rmw_mode_enum
        doc: The operation on the element in memory.
      - id: pointers
        type: varint32
        -index-of: value
        doc: The addresses; the pointee is the element type.
      - id: arg
        type: varint32
        -index-of: value
        doc: i32 and i64; floats for addf; both, of 32 or 64 bits, for xchg.
      - id: mask
        type: varint32
        -index-of: value
        if: '(flags.value & 1) != 0'
        doc: 'Elements with 0 are left out: no access, no fault.'
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 2) != 0'
        doc: A token of operations that must have happened before.
  op_bitcast:
    doc: Read the bits of numbers as numbers of another type of the same width.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The value to convert.
  op_break:
    doc: Leave the innermost loop op.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: None, so that the count is 0.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: operands (any number).'
  op_broadcast:
    doc: Repeat a tile along its dimensions of size 1. The rank stays.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The tile to rearrange.
  op_cat:
    doc: Join two tiles along a dimension, lhs first. Other dimensions are equal.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: dim
        type: varint
        doc: The dimension along which the op works, less than the rank.
      - id: lhs
        type: varint32
        -index-of: value
        doc: First part.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Second part.
  op_ceil:
    doc: The smallest integer that is not below the element.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  comparison_predicate_enum:
    -webide-representation: '{value}'
    doc: The relation that a comparison tests.
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 5
    instances:
      value:
        value: number.value
        enum: comparison_predicate
  comparison_ordering_enum:
    -webide-representation: '{value}'
    doc: What a floating-point comparison gives when an operand is a NaN.
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 1
    instances:
      value:
        value: number.value
        enum: comparison_ordering
  op_cmpf:
    doc: Compare each pair of elements; -0 equals 0.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: comparison_predicate
        type: comparison_predicate_enum
        doc: The relation to test.
      - id: comparison_ordering
        type: comparison_ordering_enum
        doc: The result if an operand is a NaN.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  signedness_enum:
    -webide-representation: '{value}'
    doc: 'How an integer''s bits are read.'
    seq:
      - id: number
        type: varint32
        valid:
          expr: _.value <= 1
    instances:
      value:
        value: number.value
        enum: signedness
  op_cmpi:
    doc: Compare each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: comparison_predicate
        type: comparison_predicate_enum
        doc: The relation to test.
      - id: signedness
        type: signedness_enum
        doc: How both operands are read; irrelevant for equal and not_equal.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_constant:
    doc: A tile known when the module is written.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: value
        type: varint32
        -index-of: constant
        doc: One element for the whole tile, or all of them. Index of a constant.
  op_continue:
    doc: Continue with the next iteration of the innermost for or loop.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: None, so that the count is 0.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: operands (any number).'
  op_cos:
    doc: |
      Cosine of radians. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
      rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_cosh:
    doc: |
      Hyperbolic cosine. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
      rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_divf:
    doc: |
      Quotient of each pair of elements. approx and full are within 2 ulp; approx gives 0 for
      divisors beyond 2^126, or a NaN if the dividend is infinite.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 flush_to_zero.
      - id: rounding_mode
        type: rounding_mode_enum
        doc: How the result is rounded; approx and full only for f32.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
    instances:
      flush_to_zero:
        value: '(flags.value & 1) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  op_divi:
    doc: |
      Quotient of each pair of elements. Division by zero, or of the smallest signed number by -1,
      is undefined behaviour.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: signedness
        type: signedness_enum
        doc: How both operands are read.
      - id: rounding
        type: rounding_mode_enum
        doc: The direction of rounding; negative_inf only when signed.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_exp:
    doc: |
      e to the power of each element. Accurate as the CUDA math library; f16 and bf16 are computed
      in f32 and rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: rounding_mode
        type: rounding_mode_enum
        if: _root.version >= 1303
        doc: How precisely it is computed; approx only for f32. Since 13.3; before, full.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_exp2:
    doc: '2 to the power of each element.'
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 flush_to_zero.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
    instances:
      flush_to_zero:
        value: '(flags.value & 1) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  op_exti:
    doc: Widen integers; the new type is strictly wider.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of to.
      - id: signedness
        type: signedness_enum
        doc: Fill with zeros (unsigned) or the sign bit (signed).
      - id: from_field
        -orig-id: from
        type: varint32
        -index-of: value
        doc: The value to convert.
  op_extract:
    doc: |
      Cut a tile into slices shaped as the result, and take one of them. Slice i starts at element
      i times the size of the result.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: source, indices (any number).'
  op_floor:
    doc: The largest integer that is not above the element.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_fma:
    doc: lhs times rhs plus acc, rounded once.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 flush_to_zero.
      - id: rounding_mode
        type: rounding_mode_enum
        doc: How the result is rounded.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left factor.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right factor.
      - id: acc
        type: varint32
        -index-of: value
        doc: The addend.
    instances:
      flush_to_zero:
        value: '(flags.value & 1) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  list_of_block:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: block
        repeat: expr
        repeat-expr: count.value
  regions:
    doc: The regions of an op. A region is a list of blocks, in practice one.
    params:
      - id: expected
        type: u8
        doc: How many the op has.
    seq:
      - id: count
        type: varint
        valid:
          expr: _.value == expected
      - id: items
        type: list_of_block
        repeat: expr
        repeat-expr: count.value
  op_for:
    doc: |
      Run the region for lowerBound, lowerBound + step, ... below upperBound. A step that is not
      positive, or a sum that overflows, is undefined behaviour.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of resultValues.
      - id: flags
        type: varint
        if: _root.version >= 1302
        doc: A bit for everything that may be absent. Bit 0 unsignedCmp. Since 13.2; before, 0.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: lowerBound, upperBound, step, initValues (any number).'
      - id: regions
        type: regions(1)
        doc: '`region`: One iteration.'
    instances:
      unsigned_cmp:
        -orig-id: unsignedCmp
        value: '_root.version >= 1302 and (flags.value & 1) != 0'
        doc: Compare with the bound as unsigned. Since 13.2; before, 0.
  op_ftof:
    doc: Convert between floating-point types, which must differ.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of to.
      - id: rounding_mode
        type: rounding_mode_enum
        doc: To f8E8M0FNU zero or positive_inf; to other types below 16 bits only nearest_even.
      - id: from_field
        -orig-id: from
        type: varint32
        -index-of: value
        doc: The value to convert.
  op_ftoi:
    doc: |
      Convert floating-point numbers to integers, dropping the fraction. A NaN or a number that
      does not fit is undefined behaviour, unless saturating.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of to.
      - id: flags
        type: varint
        if: _root.version >= 1304
        doc: A bit for everything that may be absent. Bit 0 saturating. Since 13.4; before, 0.
      - id: signedness
        type: signedness_enum
        doc: How the result is read.
      - id: rounding_mode
        type: rounding_mode_enum
        doc: Only toward zero.
      - id: from_field
        -orig-id: from
        type: varint32
        -index-of: value
        doc: The value to convert.
    instances:
      saturating:
        value: '_root.version >= 1304 and (flags.value & 1) != 0'
        doc: |
          A number that does not fit becomes the nearest limit, a NaN 0. Since 13.4; before, 0.
  op_get_global:
    doc: The address of a global of the module.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: name
        type: varint32
        -index-of: string
        doc: The name of the global. Index of a string.
  op_get_index_space_shape:
    doc: |
      How many tiles a view has along each dimension, those over the edge included. A number that
      does not fit the result type is undefined behaviour.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result.
      - id: src
        type: varint32
        -index-of: value
        doc: The view to measure.
  op_get_num_tile_blocks:
    doc: The size of the grid in tile blocks; 1 along an axis that is not used.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 3
        doc: Of gridSize_x, gridSize_y, gridSize_z.
  op_get_tensor_shape:
    doc: |
      How many elements a tensor view has along each dimension. A number that does not fit the
      result type is undefined behaviour.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result.
      - id: src
        type: varint32
        -index-of: value
        doc: The view to measure.
  op_get_tile_block_id:
    doc: The coordinates of this tile block in the grid.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 3
        doc: Of blockId_x, blockId_y, blockId_z.
  op_if:
    doc: Run one of two regions.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of results.
      - id: condition
        type: varint32
        -index-of: value
        doc: '1 runs thenRegion, 0 elseRegion.'
      - id: regions
        type: regions(2)
        doc: |
          `thenRegion`: Runs if the condition is 1. `elseRegion`: Runs if the condition is 0;
          required if there are results.
  op_int_to_ptr:
    doc: Read integers as addresses.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The value to convert.
  op_iota:
    doc: The numbers 0, 1, 2, ... in order, read as unsigned.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
  op_itof:
    doc: |
      Convert integers to floating-point numbers. A number that is too large becomes infinity, or
      a NaN if the type has none.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of to.
      - id: signedness
        type: signedness_enum
        doc: How the operand is read.
      - id: rounding_mode
        type: rounding_mode_enum
        doc: Only to nearest.
      - id: from_field
        -orig-id: from
        type: varint32
        -index-of: value
        doc: The value to convert.
  op_join_tokens:
    doc: 'Join two or more tokens: the result is after all of them.'
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: tokens (any number).'
  op_load_ptr_tko:
    doc: |
      Load an element through each pointer. A pointer that is not naturally aligned or not to live
      memory is undefined behaviour.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 2
        doc: Of result, result_token.
      - id: flags
        type: varint
        doc: |
          A bit for everything that may be absent. Bit 0 memory_scope; bit 1 optimization_hints;
          bit 2 mask; bit 3 paddingValue; bit 4 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        if: '(flags.value & 1) != 0'
        doc: The threads among which it is ordered; absent exactly when weak.
      - id: optimization_hints
        type: list_of_dictionary_entry
        if: '(flags.value & 2) != 0'
        doc: 'By architecture: `latency`. They never change a result.'
      - id: source
        type: varint32
        -index-of: value
        doc: The memory to load from; not multicast.
      - id: mask
        type: varint32
        -index-of: value
        if: '(flags.value & 4) != 0'
        doc: 'Elements with 0 are left out: no access, no fault.'
      - id: padding_value
        -orig-id: paddingValue
        type: varint32
        -index-of: value
        if: '(flags.value & 8) != 0'
        doc: The values of elements that are masked out; otherwise unspecified.
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 16) != 0'
        doc: A token of operations that must have happened before.
  list_of_u1:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: u1
        repeat: expr
        repeat-expr: count.value
  op_load_view_tko:
    doc: |
      Load a tile of a view. Elements outside the tensor become the padding value of the view
      type, or are unspecified without one.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of tile, result_token.
      - id: flags
        type: varint
        doc: |
          A bit for everything that may be absent. Bit 0 memory_scope; bit 1 optimization_hints;
          bit 2 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        if: '(flags.value & 1) != 0'
        doc: The threads among which it is ordered; absent exactly when weak.
      - id: optimization_hints
        type: list_of_dictionary_entry
        if: '(flags.value & 2) != 0'
        doc: 'By architecture: `latency`, `allow_tma`. They never change a result.'
      - id: inbounds
        type: list_of_u1
        if: _root.version >= 1304
        doc: |
          For each index, whether no element is outside along it; else undefined behaviour. Since
          13.4; before, 0 for each of `index`.
      - id: view
        type: varint32
        -index-of: value
        doc: The memory to load from; not multicast.
      - id: index
        type: list_of_varint32
        -index-of: value
        doc: Index of the tile in each dimension, unsigned; out of range is undefined behaviour.
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 4) != 0'
        doc: A token of operations that must have happened before.
  op_log:
    doc: |
      Natural logarithm. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
      rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_log2:
    doc: |
      Logarithm to base 2. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
      rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_loop:
    doc: Run the region again and again, until a break.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of resultValues.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: initValues (any number).'
      - id: regions
        type: regions(1)
        doc: '`region`: One iteration.'
  op_make_partition_view:
    doc: Cut a tensor view into a grid of equal tiles.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: tensor_view
        type: varint32
        -index-of: value
        doc: 'The tensor view to cut; its type is part of the result''s.'
  op_make_tensor_view:
    doc: |
      Describe a tensor in memory: where it is, its shape, its strides in elements. Dynamic values
      are read as unsigned; all have the same type.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result.
      - id: base
        type: varint32
        -index-of: value
        doc: 'Address of the first element, of the result''s element type.'
      - id: dynamic_shape
        -orig-id: dynamicShape
        type: list_of_varint32
        -index-of: value
        doc: A size for each dynamic one in the result type.
      - id: dynamic_strides
        -orig-id: dynamicStrides
        type: list_of_varint32
        -index-of: value
        doc: A stride for each dynamic one in the result type.
  op_make_token:
    doc: Make a token that depends on no operation.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
  op_maxf:
    doc: The larger of each pair of elements; 0 is above -0.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 propagate_nan; bit 1 flush_to_zero.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
    instances:
      propagate_nan:
        value: '(flags.value & 1) != 0'
        doc: A NaN in either gives a NaN; without it the other operand wins.
      flush_to_zero:
        value: '(flags.value & 2) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  op_maxi:
    doc: The larger of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: signedness
        type: signedness_enum
        doc: How both operands are read.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_minf:
    doc: The smaller of each pair of elements; -0 is below 0.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 propagate_nan; bit 1 flush_to_zero.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
    instances:
      propagate_nan:
        value: '(flags.value & 1) != 0'
        doc: A NaN in either gives a NaN; without it the other operand wins.
      flush_to_zero:
        value: '(flags.value & 2) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  op_mini:
    doc: The smaller of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: signedness
        type: signedness_enum
        doc: How both operands are read.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_mmaf:
    doc: |
      Matrix product plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in front. The order
      of the sum and its inner precision are unspecified.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        if: _root.version >= 1303
        doc: A bit for everything that may be absent. Bit 0 fast_acc. Since 13.3; before, 0.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left matrix.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right matrix.
      - id: acc
        type: varint32
        -index-of: value
        doc: 'The accumulator, MxN: f64 for f64, f16 or f32 for f16 and f8, otherwise f32.'
    instances:
      fast_acc:
        value: '_root.version >= 1303 and (flags.value & 1) != 0'
        doc: 'f8: the sum may be kept at less precision, for speed. Since 13.3; before, 0.'
  op_mmai:
    doc: Matrix product plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in front.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: signedness_lhs
        type: signedness_enum
        doc: How lhs is read.
      - id: signedness_rhs
        type: signedness_enum
        doc: How rhs is read.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left matrix.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right matrix.
      - id: acc
        type: varint32
        -index-of: value
        doc: The accumulator, MxN, signed; the sum wraps.
  op_mulf:
    doc: Product of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 flush_to_zero.
      - id: rounding_mode
        type: rounding_mode_enum
        doc: How the result is rounded.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
    instances:
      flush_to_zero:
        value: '(flags.value & 1) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  op_mulhii:
    doc: High half of the unsigned product, which has twice the width.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: x
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: 'y'
        type: varint32
        -index-of: value
        doc: Right operand.
  op_muli:
    doc: Low half of the product of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: overflow
        type: integer_overflow_enum
        doc: The promise about overflow; a broken promise is undefined behaviour.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_negf:
    doc: Flip the sign bit, also of a NaN.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_negi:
    doc: 'Negative of each element, in two''s complement.'
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: overflow
        type: integer_overflow_enum
        if: _root.version >= 1302
        doc: |
          The promise about overflow; a broken promise is undefined behaviour. Since 13.2; before,
          none.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_offset:
    doc: |
      Move pointers by a number of elements of their pointee. Undefined behaviour if the distance
      in bytes or the address overflows.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: ptr
        type: varint32
        -index-of: value
        doc: The pointers to move.
      - id: offset
        type: varint32
        -index-of: value
        doc: The number of elements, read as signed.
  op_ori:
    doc: Bitwise or of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  list_of_bounded_s4:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: s4
        valid:
          min: -2147483646
          max: 2147483646
        repeat: expr
        repeat-expr: count.value
  op_permute:
    doc: Reorder the dimensions of a tile of rank 2 or more.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: permutation
        type: list_of_bounded_s4
        doc: Each dimension of the source once.
      - id: source
        type: varint32
        -index-of: value
        doc: The tile to rearrange.
  op_fpowf:
    doc: |
      Each element to a power. Accurate as the CUDA math library; f16 and bf16 are computed in f32
      and rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: Base.
      - id: exponent
        type: varint32
        -index-of: value
        doc: Exponent.
  op_print_tko:
    doc: Print tiles to the standard output of the host, as printf does.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result_token.
      - id: flags
        type: varint
        if: _root.version >= 1302
        doc: A bit for everything that may be absent. Bit 0 token. Since 13.2; before, 0.
      - id: str
        type: varint32
        -index-of: string
        doc: 'The format; %% stands for a percent sign. Index of a string.'
      - id: args
        type: list_of_varint32
        -index-of: value
        doc: A tile for each conversion in the format.
      - id: token
        type: varint32
        -index-of: value
        if: '_root.version >= 1302 and (flags.value & 1) != 0'
        doc: A token of operations that must have happened before. Since 13.2.
  op_ptr_to_int:
    doc: The addresses that pointers hold.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The value to convert.
  op_ptr_to_ptr:
    doc: The same addresses with another pointee.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The value to convert.
  op_reduce:
    doc: |
      Combine all elements along a dimension into one. In unspecified order: the accumulator may
      also be an element, identity or partial result.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of results.
      - id: dim
        type: varint
        doc: The dimension along which the op works, less than the rank.
      - id: identities
        type: list_of_attribute
        doc: 'Neutral element for each operand: a number of its element type.'
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: operands (any number).'
      - id: regions
        type: regions(1)
        doc: |
          `body`: Combines two values of each operand; must be associative and free of effects.
  op_remf:
    doc: |
      Remainder of the division toward zero, exact, with the sign of lhs. A NaN if rhs is 0 or lhs
      infinite; lhs if only rhs is infinite.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_remi:
    doc: |
      Remainder of the division toward zero; when signed it has the sign of lhs. Division by zero
      is undefined behaviour.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: signedness
        type: signedness_enum
        doc: How both operands are read.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_reshape:
    doc: Give the elements, in row-major order, another shape.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The tile to rearrange.
  op_return:
    doc: End the kernel for this tile block.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: None, so that the count is 0.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: operands (any number).'
  op_rsqrt:
    doc: '1 over the square root.'
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 flush_to_zero.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
    instances:
      flush_to_zero:
        value: '(flags.value & 1) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  op_scan:
    doc: 'Inclusive prefix along a dimension: each element combined with all before it.'
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of results.
      - id: dim
        type: varint
        doc: The dimension along which the op works, less than the rank.
      - id: reverse
        type: u1
        doc: Start at the last element instead of the first.
      - id: identities
        type: list_of_attribute
        doc: 'Neutral element for each operand: a number of its element type.'
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: operands (any number).'
      - id: regions
        type: regions(1)
        doc: |
          `body`: Combines two values of each operand; must be associative and free of effects.
  op_select:
    doc: Choose between two tiles, element by element.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: cond
        type: varint32
        -index-of: value
        doc: For each element, 1 selects val_if_true, 0 val_if_false; a scalar is not enough.
      - id: val_if_true
        type: varint32
        -index-of: value
        doc: The element where cond is 1.
      - id: val_if_false
        type: varint32
        -index-of: value
        doc: The element where cond is 0.
  op_shli:
    doc: Shift left, filling with zeros.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: overflow
        type: integer_overflow_enum
        doc: The promise about the bits shifted out.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Amount, read as unsigned; the width or more is undefined behaviour.
  op_shri:
    doc: Shift right, filling with zeros (unsigned) or the sign bit (signed).
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: signedness
        type: signedness_enum
        doc: Whether zeros or the sign bit fill.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Amount, read as unsigned; the width or more is undefined behaviour.
  op_sin:
    doc: |
      Sine of radians. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
      rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_sinh:
    doc: |
      Hyperbolic sine. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
      rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_sqrt:
    doc: Square root.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 flush_to_zero.
      - id: rounding_mode
        type: rounding_mode_enum
        doc: How the result is rounded; approx only for f32.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
    instances:
      flush_to_zero:
        value: '(flags.value & 1) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  op_store_ptr_tko:
    doc: |
      Store an element through each pointer; of two to one address, either may win. A pointer that
      is not naturally aligned or not to live memory is undefined behaviour.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result_token.
      - id: flags
        type: varint
        doc: |
          A bit for everything that may be absent. Bit 0 memory_scope; bit 1 optimization_hints;
          bit 2 mask; bit 3 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        if: '(flags.value & 1) != 0'
        doc: The threads among which it is ordered; absent exactly when weak.
      - id: optimization_hints
        type: list_of_dictionary_entry
        if: '(flags.value & 2) != 0'
        doc: 'By architecture: `latency`. They never change a result.'
      - id: destination
        type: varint32
        -index-of: value
        doc: The memory to store to; not multicast.
      - id: value
        type: varint32
        -index-of: value
        doc: The value to store.
      - id: mask
        type: varint32
        -index-of: value
        if: '(flags.value & 4) != 0'
        doc: 'Elements with 0 are left out: no access, no fault.'
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 8) != 0'
        doc: A token of operations that must have happened before.
  op_store_view_tko:
    doc: Store a tile of a view. Elements outside the tensor are left out.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result_token.
      - id: flags
        type: varint
        doc: |
          A bit for everything that may be absent. Bit 0 memory_scope; bit 1 optimization_hints;
          bit 2 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        if: '(flags.value & 1) != 0'
        doc: The threads among which it is ordered; absent exactly when weak.
      - id: optimization_hints
        type: list_of_dictionary_entry
        if: '(flags.value & 2) != 0'
        doc: 'By architecture: `latency`, `allow_tma`. They never change a result.'
      - id: inbounds
        type: list_of_u1
        if: _root.version >= 1304
        doc: |
          For each index, whether no element is outside along it; else undefined behaviour. Since
          13.4; before, 0 for each of `index`.
      - id: tile
        type: varint32
        -index-of: value
        doc: The value to store.
      - id: view
        type: varint32
        -index-of: value
        doc: The memory to store to; not multicast.
      - id: index
        type: list_of_varint32
        -index-of: value
        doc: Index of the tile in each dimension, unsigned; out of range is undefined behaviour.
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 4) != 0'
        doc: A token of operations that must have happened before.
  op_subf:
    doc: Difference of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 flush_to_zero.
      - id: rounding_mode
        type: rounding_mode_enum
        doc: How the result is rounded.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
    instances:
      flush_to_zero:
        value: '(flags.value & 1) != 0'
        doc: 'f32 only: subnormal operands and results become zero of the same sign.'
  op_subi:
    doc: Difference of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: overflow
        type: integer_overflow_enum
        doc: The promise about overflow; a broken promise is undefined behaviour.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_tan:
    doc: |
      Tangent of radians. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
      rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_tanh:
    doc: |
      Hyperbolic tangent. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
      rounded again.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: rounding_mode
        type: rounding_mode_enum
        if: _root.version >= 1302
        doc: How precisely it is computed; approx only for f32. Since 13.2; before, full.
      - id: source
        type: varint32
        -index-of: value
        doc: The operand.
  op_trunci:
    doc: Narrow integers to their low bits; the new type is strictly narrower.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of to.
      - id: overflow
        type: integer_overflow_enum
        doc: 'The promise about the bits dropped: copies of the sign bit, or zeros.'
      - id: from_field
        -orig-id: from
        type: varint32
        -index-of: value
        doc: The value to convert.
  op_xori:
    doc: Bitwise exclusive or of each pair of elements.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left operand.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right operand.
  op_yield:
    doc: End a region of if, reduce or scan with its values.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: None, so that the count is 0.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: operands (any number).'
  op_atan2:
    doc: |
      Angle of the point whose ordinate is the first operand. Accurate as the CUDA math library;
      f16 and bf16 are computed in f32 and rounded again. Since 13.2.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: x
        type: varint32
        -index-of: value
        doc: Ordinate, the numerator.
      - id: 'y'
        type: varint32
        -index-of: value
        doc: Abscissa, the denominator.
  op_pack:
    doc: |
      The bytes of a tile, little-endian; elements below a byte share one, lowest bits first.
      Since 13.3.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: A tile of anything but bytes.
  op_unpack:
    doc: 'The inverse of pack: read bytes as elements of another type. Since 13.3.'
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: The bytes, little-endian.
  op_alloca:
    doc: |
      Uninitialised memory that lives until the end of the block the op stands in. Since 13.3.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 global.
      - id: num_elem
        type: varint
        doc: The number of elements of the pointee; may be 0.
      - id: alignment
        type: varint
        doc: 'In bytes: a power of two, at least the element''s size.'
    instances:
      global_field:
        -orig-id: global
        value: '(flags.value & 1) != 0'
        doc: In global memory, rather than private to the tile block.
  op_mmaf_scaled:
    doc: |
      Matrix product of scaled blocks plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in
      front. V neighbours along K share a scale: 32 for f8, 16 or 32 for f4E2M1FN by scale type.
      Since 13.3.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: lhs
        type: varint32
        -index-of: value
        doc: Left matrix.
      - id: rhs
        type: varint32
        -index-of: value
        doc: Right matrix.
      - id: acc
        type: varint32
        -index-of: value
        doc: The accumulator, MxN.
      - id: lhs_scale
        type: varint32
        -index-of: value
        doc: Scales of lhs, M x K/V; not negative.
      - id: rhs_scale
        type: varint32
        -index-of: value
        doc: Scales of rhs, K/V x N; not negative.
  op_make_gather_scatter_view:
    doc: Let tiles pick single positions of a tensor view along one dimension. Since 13.3.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: tensor_view
        type: varint32
        -index-of: value
        doc: 'The tensor view to cut; its type is part of the result''s.'
  op_make_strided_view:
    doc: Cut a tensor view into tiles that may overlap or leave gaps. Since 13.3.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: tensor_view
        type: varint32
        -index-of: value
        doc: 'The tensor view to cut; its type is part of the result''s.'
  op_atomic_red_view_tko:
    doc: |
      Combine a tile into a tile of a view without returning what was there. Elements outside the
      tensor are left out. Since 13.3.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result_token.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        doc: The threads among which it is atomic.
      - id: mode
        type: atomic_rmw_mode_enum
        doc: The operation on the element in memory.
      - id: inbounds
        type: list_of_u1
        if: _root.version >= 1305
        doc: |
          For each index, whether no element is outside along it; else undefined behaviour. Since
          13.5; before, 0 for each of `index`.
      - id: view
        type: varint32
        -index-of: value
        doc: The view of the memory.
      - id: index
        type: list_of_varint32
        -index-of: value
        doc: Index of the tile in each dimension, unsigned; out of range is undefined behaviour.
      - id: value
        type: varint32
        -index-of: value
        doc: i32 and i64; floats for addf; both, of 32 or 64 bits, for xchg.
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 1) != 0'
        doc: A token of operations that must have happened before.
  op_insert:
    doc: |
      A copy of a tile with one of its slices replaced. Slice i starts at element i times the size
      of the source. Since 13.4.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: source, destination, indices (any number).'
  op_gdc_launch_dependents_tko:
    doc: |
      Let the grids that depend on this one start, as far as this tile block is concerned. Since
      13.4.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result_token.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: token (may be absent).'
  op_gdc_wait_tko:
    doc: |
      Wait until the grids that this one depends on have finished and their writes are visible.
      Since 13.4.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result_token.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: token (may be absent).'
  op_fpowi:
    doc: Each element to an integer power. Since 13.4.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result.
      - id: source
        type: varint32
        -index-of: value
        doc: Base.
      - id: exponent
        type: varint32
        -index-of: value
        doc: Exponent, read as signed.
  op_memory_fence_alias_tko:
    doc: |
      Order accesses to the same memory under different addresses, as multicast and unicast. Since
      13.4.
    seq:
      - id: result_types
        type: varint32
        -index-of: type
        repeat: expr
        repeat-expr: 1
        doc: Of result_token.
      - id: token
        type: varint32
        -index-of: value
        doc: The accesses before the fence.
  op_multimem_load_reduce_view_tko:
    doc: Load a tile from all replicas of multicast memory and combine them. Since 13.5.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of reduced_values, result_token.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 memory_scope; bit 1 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        if: '(flags.value & 1) != 0'
        doc: The threads among which it is ordered; absent exactly when weak.
      - id: reduction
        type: multimem_reduction_kind_enum
        doc: The operation that combines values.
      - id: inbounds
        type: list_of_u1
        doc: For each index, whether no element is outside along it; else undefined behaviour.
      - id: view
        type: varint32
        -index-of: value
        doc: The multicast memory, as tiles.
      - id: index
        type: list_of_varint32
        -index-of: value
        doc: Index of the tile in each dimension, unsigned; out of range is undefined behaviour.
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 2) != 0'
        doc: A token of operations that must have happened before.
  op_multimem_reduce_view_tko:
    doc: |
      Combine a tile into all replicas of multicast memory, each element atomically. Elements
      outside the tensor are left out. Since 13.5.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result_token.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        doc: The threads among which it is ordered.
      - id: reduction
        type: multimem_reduction_kind_enum
        doc: The operation that combines values.
      - id: inbounds
        type: list_of_u1
        doc: For each index, whether no element is outside along it; else undefined behaviour.
      - id: view
        type: varint32
        -index-of: value
        doc: The multicast memory, as tiles.
      - id: tile
        type: varint32
        -index-of: value
        doc: Floats only add.
      - id: index
        type: list_of_varint32
        -index-of: value
        doc: Index of the tile in each dimension, unsigned; out of range is undefined behaviour.
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 1) != 0'
        doc: A token of operations that must have happened before.
  op_multimem_store_view_tko:
    doc: |
      Store a tile to all replicas of multicast memory. Elements outside the tensor are left out.
      Since 13.5.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of result_token.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 memory_scope; bit 1 token.
      - id: memory_ordering_semantics
        type: memory_ordering_semantics_enum
        doc: How strongly the access is ordered beyond what tokens say.
      - id: memory_scope
        type: memory_scope_enum
        if: '(flags.value & 1) != 0'
        doc: The threads among which it is ordered; absent exactly when weak.
      - id: inbounds
        type: list_of_u1
        doc: For each index, whether no element is outside along it; else undefined behaviour.
      - id: view
        type: varint32
        -index-of: value
        doc: The multicast memory, as tiles.
      - id: tile
        type: varint32
        -index-of: value
        doc: The value to store.
      - id: index
        type: list_of_varint32
        -index-of: value
        doc: Index of the tile in each dimension, unsigned; out of range is undefined behaviour.
      - id: token
        type: varint32
        -index-of: value
        if: '(flags.value & 2) != 0'
        doc: A token of operations that must have happened before.
  op_preview_call:
    doc: Call an extern function of the module. Since 13.5 preview.
    seq:
      - id: result_types
        type: list_of_varint32
        -index-of: type
        doc: Of results.
      - id: flags
        type: varint
        doc: A bit for everything that may be absent. Bit 0 arg_attrs; bit 1 res_attrs.
      - id: callee
        type: varint32
        -index-of: string
        doc: The name of the function. Index of a string.
      - id: const_args
        type: list_of_attribute
        doc: An expression for each constant parameter.
      - id: arg_attrs
        type: list_of_attribute
        if: '(flags.value & 1) != 0'
        doc: A dictionary for each operand.
      - id: res_attrs
        type: list_of_attribute
        if: '(flags.value & 2) != 0'
        doc: A dictionary for each result.
      - id: all_operands
        type: list_of_varint32
        -index-of: value
        doc: 'In order: operands (any number).'
  list_of_op:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: op
        repeat: expr
        repeat-expr: count.value
  op_stream:
    doc: One after the other, to the end.
    seq:
      - id: items
        type: op
        repeat: eos
  function_body:
    doc: The ops of a function, sized so that they can be skipped.
    seq:
      - id: length
        type: varint
        doc: In bytes.
      - id: window
        type: op_stream
        size: length.value
  list_of_function:
    doc: A count and that many.
    seq:
      - id: count
        type: varint
      - id: items
        type: function
        repeat: expr
        repeat-expr: count.value
  debug_section:
    doc: Where functions and ops come from in source.
    seq:
      - id: starts
        type: padded_list_of_u4
        doc: 'The position in `indices` at which each list begins.'
      - id: indices
        type: padded_list_of_u8
        doc: The lists, one after the other.
      - id: records
        type: debug_record_table
        doc: The records; the first is number 1.
  padded_list_of_u4:
    doc: A count, padding to 4 bytes, and that many numbers.
    seq:
      - id: count
        type: varint
      - id: padding
        type: padding(4)
      - id: items
        type: u4
        repeat: expr
        repeat-expr: count.value
  padded_list_of_u8:
    doc: A count, padding to 8 bytes, and that many numbers.
    seq:
      - id: count
        type: varint
      - id: padding
        type: padding(8)
      - id: items
        type: u8
        repeat: expr
        repeat-expr: count.value
  debug_record:
    -webide-representation: '{kind}'
    doc: |
      A record of the Debug section. References to records are 1-based, 0 is unknown. Tags without
      a name stand for an unknown location.
    seq:
      - id: tag
        type: varint32
        valid:
          expr: _.value <= 255
      - id: fields
        type:
          switch-on: kind
          cases:
            debug_tag::di_compile_unit: debug_di_compile_unit
            debug_tag::di_file: debug_di_file
            debug_tag::di_lexical_block: debug_di_lexical_block
            debug_tag::di_loc: debug_di_loc
            debug_tag::di_subprogram: debug_di_subprogram
            debug_tag::call_site: debug_call_site
    instances:
      kind:
        value: tag.value
        enum: debug_tag
  debug_di_compile_unit:
    doc: A compilation.
    seq:
      - id: file
        type: varint32
        -index-of: debug record
        doc: Its DIFile. Index of a debug record.
  debug_di_file:
    doc: A source file.
    seq:
      - id: name
        type: varint32
        -index-of: string
        doc: Base name. Index of a string.
      - id: directory
        type: varint32
        -index-of: string
        doc: Its directory. Index of a string.
  debug_di_lexical_block:
    doc: A nested scope inside a subprogram.
    seq:
      - id: scope
        type: varint32
        -index-of: debug record
        doc: 'The enclosing scope: a block, a subprogram or a file. Index of a debug record.'
      - id: file
        type: varint32
        -index-of: debug record
        doc: Its DIFile. Index of a debug record.
      - id: line
        type: varint32
        doc: '1-based.'
      - id: column
        type: varint32
        doc: '1-based.'
  debug_di_loc:
    doc: A position in a source file.
    seq:
      - id: scope
        type: varint32
        -index-of: debug record
        doc: 'The enclosing scope: a block, a subprogram or a file. Index of a debug record.'
      - id: filename
        type: varint32
        -index-of: string
        doc: Path of the source file. Index of a string.
      - id: line
        type: varint32
        doc: '1-based.'
      - id: column
        type: varint32
        doc: '1-based.'
  debug_di_subprogram:
    doc: A function in source.
    seq:
      - id: file
        type: varint32
        -index-of: debug record
        doc: Its DIFile. Index of a debug record.
      - id: line
        type: varint32
        doc: '1-based.'
      - id: name
        type: varint32
        -index-of: string
        doc: The name in source. Index of a string.
      - id: linkage_name
        type: varint32
        -index-of: string
        doc: The name that the linker sees. Index of a string.
      - id: compile_unit
        type: varint32
        -index-of: debug record
        doc: Its DICompileUnit. Index of a debug record.
      - id: scope_line
        type: varint32
        doc: Line at which the body begins.
      - id: flags
        type: varint
        valid:
          expr: _.value < 2
        if: _root.version >= 1305
        doc: Whether it is only a declaration. Bit 0 declaration. Since 13.5; before, 0.
  debug_call_site:
    doc: A location inlined into another.
    seq:
      - id: callee
        type: varint32
        -index-of: debug record
        doc: The location in the inlined function. Index of a debug record.
      - id: caller
        type: varint32
        -index-of: debug record
        doc: The location of the call. Index of a debug record.
  debug_record_table:
    doc: |
      Entries found by offsets into the bytes after the offsets. An entry runs to where the next
      begins, or to the end where that is not further on; an offset beyond the end means the end.
    seq:
      - id: count
        type: varint
      - id: padding
        type: padding(4)
        if: 'count.value != 0'
      - id: offsets
        type: u4
        repeat: expr
        repeat-expr: count.value
      - id: raw
        type: raw_bytes
        size-eos: true
    instances:
      slots:
        type: debug_record_slot(_index.as<s4>)
        repeat: expr
        repeat-expr: count.value
  debug_record_slot:
    doc: Where an entry lies, counted from the first byte after the offsets, and the entry.
    params:
      - id: idx
        type: s4
    instances:
      limit:
        value: _parent.raw.data.length.as<u4>
      offset:
        value: _parent.offsets[idx]
      following:
        value: >-
          (idx + 1 < _parent.offsets.size.as<s4> ? _parent.offsets[idx + 1] : limit).as<u4>
      start:
        value: '(offset < limit ? offset : limit).as<u4>'
      end:
        value: '(following >= offset and following <= limit ? following : limit).as<u4>'
      entry:
        io: _parent.raw._io
        pos: start
        size: end - start
        type: debug_record
  header:
    doc: The first bytes of the file.
    seq:
      - id: magic
        contents: [127, 84, 105, 108, 101, 73, 82, 0]
        doc: The same in every file.
      - id: version
        type: version
        doc: Selects the layouts of everything that follows.
      - id: tag
        type: u2
        valid:
          expr: _ <= 1 or version.minor < 5
        doc: 'Bits about the whole file: from 13.5 on, bit 0 announces public-preview content.'
  version:
    -webide-representation: '{major:dec}.{minor:dec}'
    doc: Bytecode version.
    seq:
      - id: major
        type: u1
        valid: 13
      - id: minor
        type: u1
        valid:
          min: 1
          max: 5
  varint:
    -webide-representation: '{value:dec}'
    doc: |
      Unsigned LEB128 number of 64 bits: seven bits a byte, lowest first; bit 7 of a byte says
      that another one follows. At most 10 bytes. More bytes than needed are fine, and bits above
      the 64th do not count.
    doc-ref: 'https://en.wikipedia.org/wiki/LEB128'
    seq:
      - id: groups
        type: >-
          group(_index.as<s4>, _index == 0 ? 0.as<u8> : groups[_index - 1].half.as<u8>, _index < 2
          ? 64.as<u8> : groups[_index - 1].weight.as<u8> * 128)
        repeat: until
        repeat-until: not _.has_next
    instances:
      half:
        value: groups.last.half.as<u8>
        doc: The number without its lowest bit.
      lowest:
        value: '(groups[0].bits % 2).as<u8>'
        doc: The lowest bit.
      value:
        value: (half * 2 + lowest).as<u8>
    types:
      group:
        -webide-representation: '{bits:dec}'
        params:
          - id: idx
            type: s4
          - id: previous
            type: u8
            doc: Half of the number so far.
          - id: weight
            type: u8
            doc: Half of what the lowest bit is worth.
        seq:
          - id: byte_value
            type: u1
            valid:
              expr: _ < 128 or idx < 9
        instances:
          has_next:
            value: byte_value >= 128
          bits:
            value: '(byte_value % 128).as<u8>'
          half:
            value: >-
              (idx == 0 ? (bits / 2).as<u8> : (previous + (idx == 9 ? (bits % 2).as<u8> : bits) *
              weight).as<u8>).as<u8>
  varint32:
    -webide-representation: '{value:dec}'
    doc: 'A varint below 2^32.'
    seq:
      - id: number
        type: varint
        valid:
          expr: _.value < 4294967296.as<u8>
    instances:
      value:
        value: number.value.as<u4>
  signed_varint:
    -webide-representation: '{value:dec}'
    doc: 'A signed number as a varint by zigzag: 0, -1, 1, -2, ...'
    seq:
      - id: number
        type: varint
    instances:
      value:
        value: '(number.lowest == 0 ? number.half.as<s8> : -(number.half.as<s8>) - 1).as<s8>'
  padding:
    doc: |
      Filler up to a multiple of `alignment` from the start of the payload (or of the file,
      between sections). Writers fill with 0xCB; readers do not look.
    params:
      - id: alignment
        type: u8
    seq:
      - id: fill
        size: '(alignment - _io.pos.as<u8> % alignment) % alignment'
  sized_bytes:
    doc: A length and that many bytes.
    seq:
      - id: length
        type: varint
      - id: data
        size: length.value
  text:
    -webide-representation: '{text}'
    doc: Bytes up to the end of the entry; UTF-8 by convention.
    seq:
      - id: data
        size-eos: true
    instances:
      text:
        pos: 0
        size-eos: true
        type: str
        encoding: UTF-8
  raw_bytes:
    doc: Bytes that are read again, as something else, when asked for.
    seq:
      - id: data
        size-eos: true
enums:
  section_kind:
    0:
      id: end
      -orig-id: End
      doc: The last byte of the file.
    1:
      id: string
      -orig-id: String
      doc: All names and texts.
    2:
      id: func_section
      -orig-id: Func
      doc: Kernels.
    3:
      id: debug
      -orig-id: Debug
      doc: Source locations.
    4:
      id: constant
      -orig-id: Constant
      doc: Contents of dense constants.
    5:
      id: type_section
      -orig-id: Type
      doc: All types.
    6:
      id: global_section
      -orig-id: Global
      doc: Module-level variables.
    7:
      id: producer
      -orig-id: Producer
      doc: The program that wrote the file, as free text.
  type_tag:
    0:
      id: i1
      doc: Boolean.
    1:
      id: i8
      doc: '8-bit integer.'
    2:
      id: i16
      doc: '16-bit integer.'
    3:
      id: i32
      doc: '32-bit integer.'
    4:
      id: i64
      doc: '64-bit integer.'
    5:
      id: f16
      doc: IEEE half precision.
    6:
      id: bf16
      doc: 'bfloat16: 8 exponent bits, 7 fraction bits.'
    7:
      id: f32
      doc: IEEE single precision.
    8:
      id: tf32
      doc: 'TensorFloat-32: 8 exponent bits, 10 fraction bits.'
    9:
      id: f64
      doc: IEEE double precision.
    10:
      id: f8e4m3fn
      -orig-id: f8E4M3FN
      doc: '8-bit float, 4 exponent bits, no infinities.'
    11:
      id: f8e5m2
      -orig-id: f8E5M2
      doc: '8-bit float, 5 exponent bits.'
    12:
      id: ptr
      doc: Pointer to elements of a scalar type.
    13:
      id: tile
      doc: Immutable array of elements with a static shape; rank 0 is a scalar.
    14:
      id: tensor_view
      doc: 'Array in memory: base pointer, shape and strides, static or dynamic.'
    15:
      id: partition_view
      doc: Tensor view cut into a grid of equal tiles.
    16:
      id: func_tag
      -orig-id: func
      doc: 'Signature: parameter and result types.'
    17:
      id: token
      doc: Order between memory operations; exists only while compiling.
    18:
      id: f8e8m0fnu
      -orig-id: f8E8M0FNU
      doc: '8-bit power of two, unsigned. Since 13.2.'
    19:
      id: f4e2m1fn
      -orig-id: f4E2M1FN
      doc: '4-bit float, 2 exponent bits. Since 13.3.'
    20:
      id: gather_scatter_view
      doc: Tensor view whose tiles pick single positions along one dimension. Since 13.3.
    21:
      id: strided_view
      doc: |
        Tensor view whose tiles start every `traversal_strides` elements, with overlap or gaps.
        Since 13.3.
    22:
      id: i4
      doc: '4-bit integer. Since 13.3.'
    130:
      id: fnv8e5m3fnu
      -orig-id: fnv8E5M3FNU
      doc: '8-bit unsigned float, 5 exponent bits. Since 13.4.'
    209:
      id: preview_sym_t
      -orig-id: 'preview$sym_t'
      doc: |
        An element type that a parameter of an extern function stands for. Since 13.5 preview.
    210:
      id: preview_fragment
      -orig-id: 'preview$fragment'
      doc: What an implementation of an extern function gets of a tile. Since 13.5 preview.
    211:
      id: preview_datatype
      -orig-id: 'preview$Datatype'
      doc: The type of parameters that are types. Since 13.5 preview.
    212:
      id: preview_shape
      -orig-id: 'preview$shape'
      doc: The type of parameters that are shapes. Since 13.5 preview.
    213:
      id: preview_string
      -orig-id: 'preview$string'
      doc: The type of parameters that are strings. Since 13.5 preview.
    214:
      id: index
      doc: The type of parameters that are numbers. Since 13.5 preview.
    215:
      id: none_tag
      -orig-id: none
      doc: The type of nothing. Since 13.5 preview.
  ptr_attr:
    0:
      id: none_case
      -orig-id: none
      doc: An ordinary global address. Since 13.4.
    1:
      id: unicast
      doc: One replica of multicast memory. Since 13.5.
    2:
      id: multicast
      doc: All replicas of multicast memory at once. Since 13.5.
  attribute_tag:
    1:
      id: integer
      -orig-id: Integer
      doc: Integer of a given type.
    2:
      id: float_tag
      -orig-id: Float
      doc: Floating-point number of a given type, as its bit pattern.
    3:
      id: bool_tag
      -orig-id: Bool
      doc: Truth value.
    4:
      id: type_tag
      -orig-id: Type
      doc: A type.
    5:
      id: string
      -orig-id: String
      doc: A string.
    6:
      id: array
      -orig-id: Array
      doc: Any attributes in order.
    7:
      id: dense_elements
      -orig-id: DenseElements
      doc: 'A tile''s worth of numbers.'
    8:
      id: div_by
      -orig-id: DivBy
      doc: 'Assumption: divisible by `divisor`, every `every` elements along dimension `along`.'
    9:
      id: same_elements
      -orig-id: SameElements
      doc: 'Assumption: groups of this many neighbours along each dimension are equal.'
    10:
      id: dictionary
      -orig-id: Dictionary
      doc: Named attributes.
    11:
      id: optimization_hints
      -orig-id: OptimizationHints
      doc: Hints by architecture; they never change a result.
    12:
      id: bounded
      -orig-id: Bounded
      doc: 'Assumption: signed inclusive bounds.'
    13:
      id: multimem_reduction_kind
      -orig-id: MultimemReductionKind
      doc: How multicast replicas are combined. Since 13.5.
    209:
      id: expr_int
      -orig-id: ExprInt
      doc: 'Expression: a number. Since 13.5 preview.'
    210:
      id: expr_var
      -orig-id: ExprVar
      doc: 'Expression: the value of a parameter of an extern function. Since 13.5 preview.'
    211:
      id: expr_mul
      -orig-id: ExprMul
      doc: 'Expression: a product. Since 13.5 preview.'
    212:
      id: expr_div
      -orig-id: ExprDiv
      doc: 'Expression: a quotient. Since 13.5 preview.'
    213:
      id: expr_add
      -orig-id: ExprAdd
      doc: 'Expression: a sum. Since 13.5 preview.'
    214:
      id: expr_sub
      -orig-id: ExprSub
      doc: 'Expression: a difference. Since 13.5 preview.'
    215:
      id: expr_floor_div
      -orig-id: ExprFloorDiv
      doc: 'Expression: a quotient, rounded down. Since 13.5 preview.'
    216:
      id: symbolic_tuple
      -orig-id: SymbolicTuple
      doc: Expressions in order, such as the extents of a tile. Since 13.5 preview.
    217:
      id: layout
      -orig-id: Layout
      doc: |
        A map from coordinates to numbers: the sum of coordinates times strides. Since 13.5
        preview.
    218:
      id: expr_ceil_div
      -orig-id: ExprCeilDiv
      doc: 'Expression: a quotient, rounded up. Since 13.5 preview.'
    219:
      id: concrete_type
      -orig-id: ConcreteType
      doc: 'Expression: a type. Since 13.5 preview.'
    220:
      id: expr_neg
      -orig-id: ExprNeg
      doc: 'Expression: a negated one. Since 13.5 preview.'
    221:
      id: memory_space
      -orig-id: MemorySpace
      doc: Where a fragment is. Since 13.5 preview.
    222:
      id: synchronization
      -orig-id: Synchronization
      doc: Which threads an extern function synchronises. Since 13.5 preview.
    223:
      id: access
      -orig-id: Access
      doc: What an extern function does with a parameter. Since 13.5 preview.
    224:
      id: scratch_request
      -orig-id: ScratchRequest
      doc: Shared memory that an implementation needs for itself. Since 13.5 preview.
    226:
      id: const_param
      -orig-id: ConstParam
      doc: |
        A parameter of an extern function that is known when it is compiled. Since 13.5 preview.
    227:
      id: expr_builtin
      -orig-id: ExprBuiltin
      doc: 'Expression: a value that the compiler knows. Since 13.5 preview.'
    228:
      id: expr_const_str
      -orig-id: ExprConstStr
      doc: 'Expression: a string. Since 13.5 preview.'
  multimem_reduction_kind:
    0:
      id: add
      doc: Addition.
    1:
      id: min
      doc: Signed or floating-point minimum.
    2:
      id: max
      doc: Signed or floating-point maximum.
    3:
      id: and_case
      -orig-id: and
      doc: Bitwise and.
    4:
      id: or_case
      -orig-id: or
      doc: Bitwise or.
    5:
      id: xor_case
      -orig-id: xor
      doc: Bitwise exclusive or.
    6:
      id: umin
      doc: Unsigned minimum.
    7:
      id: umax
      doc: Unsigned maximum.
  memory_space:
    0:
      id: local
      doc: In registers or local memory of each thread. Since 13.5 preview.
    1:
      id: smem
      doc: In shared memory. Since 13.5 preview.
  synchronization:
    0:
      id: none_case
      -orig-id: none
      doc: None. Since 13.5 preview.
    1:
      id: warp
      doc: Those of a warp. Since 13.5 preview.
    2:
      id: warpgroup
      doc: Those of a warp group. Since 13.5 preview.
    3:
      id: cta
      doc: All of a block. Since 13.5 preview.
  access:
    0:
      id: in_case
      -orig-id: in
      doc: It reads it. Since 13.5 preview.
    1:
      id: out
      doc: It writes it. Since 13.5 preview.
    2:
      id: inout
      doc: It reads and writes it. Since 13.5 preview.
  padding_value:
    0:
      id: zero
      doc: Zero.
    1:
      id: neg_zero
      doc: Negative zero.
    2:
      id: nan
      doc: A quiet NaN.
    3:
      id: pos_inf
      doc: Positive infinity.
    4:
      id: neg_inf
      doc: Negative infinity.
  symbol_visibility:
    0:
      id: public_case
      -orig-id: public
      doc: It can.
    1:
      id: private_case
      -orig-id: private
      doc: It cannot.
  opcode:
    0:
      id: absf
      doc: Clear the sign bit, also of a NaN.
    1:
      id: absi
      doc: Absolute value of a signed number as an unsigned one, so that every result fits.
    2:
      id: addf
      doc: Sum of each pair of elements.
    3:
      id: addi
      doc: Sum of each pair of elements.
    4:
      id: andi
      doc: Bitwise and of each pair of elements.
    5:
      id: assert_op
      -orig-id: assert
      doc: |
        Report every element that is 0: the message is printed and the launch fails. The kernel
        may run on.
    6:
      id: assume
      doc: |
        Promise that a predicate holds for a value, which is the result. Undefined behaviour if
        the predicate does not hold.
    7:
      id: atomic_cas_tko
      doc: 'Compare and swap: where memory holds `cmp`, bit by bit, store `val`.'
    8:
      id: atomic_rmw_tko
      doc: Combine an element with what each pointer points to.
    9:
      id: bitcast
      doc: Read the bits of numbers as numbers of another type of the same width.
    10:
      id: break_op
      -orig-id: break
      doc: Leave the innermost loop op.
    11:
      id: broadcast
      doc: Repeat a tile along its dimensions of size 1. The rank stays.
    12:
      id: cat
      doc: Join two tiles along a dimension, lhs first. Other dimensions are equal.
    13:
      id: ceil
      doc: The smallest integer that is not below the element.
    14:
      id: cmpf
      doc: Compare each pair of elements; -0 equals 0.
    15:
      id: cmpi
      doc: Compare each pair of elements.
    16:
      id: constant
      doc: A tile known when the module is written.
    17:
      id: continue_op
      -orig-id: continue
      doc: Continue with the next iteration of the innermost for or loop.
    18:
      id: cos
      doc: |
        Cosine of radians. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
    19:
      id: cosh
      doc: |
        Hyperbolic cosine. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
    20:
      id: divf
      doc: |
        Quotient of each pair of elements. approx and full are within 2 ulp; approx gives 0 for
        divisors beyond 2^126, or a NaN if the dividend is infinite.
    21:
      id: divi
      doc: |
        Quotient of each pair of elements. Division by zero, or of the smallest signed number by
        -1, is undefined behaviour.
    23:
      id: exp
      doc: |
        e to the power of each element. Accurate as the CUDA math library; f16 and bf16 are
        computed in f32 and rounded again.
    24:
      id: exp2
      doc: '2 to the power of each element.'
    37:
      id: exti
      doc: Widen integers; the new type is strictly wider.
    38:
      id: extract
      doc: |
        Cut a tile into slices shaped as the result, and take one of them. Slice i starts at
        element i times the size of the result.
    39:
      id: floor
      doc: The largest integer that is not above the element.
    40:
      id: fma
      doc: lhs times rhs plus acc, rounded once.
    41:
      id: for_op
      -orig-id: for
      doc: |
        Run the region for lowerBound, lowerBound + step, ... below upperBound. A step that is not
        positive, or a sum that overflows, is undefined behaviour.
    42:
      id: ftof
      doc: Convert between floating-point types, which must differ.
    43:
      id: ftoi
      doc: |
        Convert floating-point numbers to integers, dropping the fraction. A NaN or a number that
        does not fit is undefined behaviour, unless saturating.
    44:
      id: get_global
      doc: The address of a global of the module.
    45:
      id: get_index_space_shape
      doc: |
        How many tiles a view has along each dimension, those over the edge included. A number
        that does not fit the result type is undefined behaviour.
    46:
      id: get_num_tile_blocks
      doc: The size of the grid in tile blocks; 1 along an axis that is not used.
    47:
      id: get_tensor_shape
      doc: |
        How many elements a tensor view has along each dimension. A number that does not fit the
        result type is undefined behaviour.
    48:
      id: get_tile_block_id
      doc: The coordinates of this tile block in the grid.
    50:
      id: if_op
      -orig-id: if
      doc: Run one of two regions.
    51:
      id: int_to_ptr
      doc: Read integers as addresses.
    58:
      id: iota
      doc: The numbers 0, 1, 2, ... in order, read as unsigned.
    59:
      id: itof
      doc: |
        Convert integers to floating-point numbers. A number that is too large becomes infinity,
        or a NaN if the type has none.
    60:
      id: join_tokens
      doc: 'Join two or more tokens: the result is after all of them.'
    61:
      id: load_ptr_tko
      doc: |
        Load an element through each pointer. A pointer that is not naturally aligned or not to
        live memory is undefined behaviour.
    62:
      id: load_view_tko
      doc: |
        Load a tile of a view. Elements outside the tensor become the padding value of the view
        type, or are unspecified without one.
    63:
      id: log
      doc: |
        Natural logarithm. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
    64:
      id: log2
      doc: |
        Logarithm to base 2. Accurate as the CUDA math library; f16 and bf16 are computed in f32
        and rounded again.
    65:
      id: loop_op
      -orig-id: loop
      doc: Run the region again and again, until a break.
    66:
      id: make_partition_view
      doc: Cut a tensor view into a grid of equal tiles.
    67:
      id: make_tensor_view
      doc: |
        Describe a tensor in memory: where it is, its shape, its strides in elements. Dynamic
        values are read as unsigned; all have the same type.
    68:
      id: make_token
      doc: Make a token that depends on no operation.
    69:
      id: maxf
      doc: The larger of each pair of elements; 0 is above -0.
    70:
      id: maxi
      doc: The larger of each pair of elements.
    71:
      id: minf
      doc: The smaller of each pair of elements; -0 is below 0.
    72:
      id: mini
      doc: The smaller of each pair of elements.
    73:
      id: mmaf
      doc: |
        Matrix product plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in front. The
        order of the sum and its inner precision are unspecified.
    74:
      id: mmai
      doc: Matrix product plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in front.
    76:
      id: mulf
      doc: Product of each pair of elements.
    77:
      id: mulhii
      doc: High half of the unsigned product, which has twice the width.
    78:
      id: muli
      doc: Low half of the product of each pair of elements.
    79:
      id: negf
      doc: Flip the sign bit, also of a NaN.
    80:
      id: negi
      doc: 'Negative of each element, in two''s complement.'
    81:
      id: offset
      doc: |
        Move pointers by a number of elements of their pointee. Undefined behaviour if the
        distance in bytes or the address overflows.
    82:
      id: ori
      doc: Bitwise or of each pair of elements.
    83:
      id: permute
      doc: Reorder the dimensions of a tile of rank 2 or more.
    84:
      id: fpowf
      doc: |
        Each element to a power. Accurate as the CUDA math library; f16 and bf16 are computed in
        f32 and rounded again.
    85:
      id: print_tko
      doc: Print tiles to the standard output of the host, as printf does.
    86:
      id: ptr_to_int
      doc: The addresses that pointers hold.
    87:
      id: ptr_to_ptr
      doc: The same addresses with another pointee.
    88:
      id: reduce
      doc: |
        Combine all elements along a dimension into one. In unspecified order: the accumulator may
        also be an element, identity or partial result.
    89:
      id: remf
      doc: |
        Remainder of the division toward zero, exact, with the sign of lhs. A NaN if rhs is 0 or
        lhs infinite; lhs if only rhs is infinite.
    90:
      id: remi
      doc: |
        Remainder of the division toward zero; when signed it has the sign of lhs. Division by
        zero is undefined behaviour.
    91:
      id: reshape
      doc: Give the elements, in row-major order, another shape.
    92:
      id: return_op
      -orig-id: return
      doc: End the kernel for this tile block.
    93:
      id: rsqrt
      doc: '1 over the square root.'
    94:
      id: scan
      doc: 'Inclusive prefix along a dimension: each element combined with all before it.'
    95:
      id: select_op
      -orig-id: select
      doc: Choose between two tiles, element by element.
    96:
      id: shli
      doc: Shift left, filling with zeros.
    97:
      id: shri
      doc: Shift right, filling with zeros (unsigned) or the sign bit (signed).
    98:
      id: sin
      doc: |
        Sine of radians. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
    99:
      id: sinh
      doc: |
        Hyperbolic sine. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
    100:
      id: sqrt
      doc: Square root.
    101:
      id: store_ptr_tko
      doc: |
        Store an element through each pointer; of two to one address, either may win. A pointer
        that is not naturally aligned or not to live memory is undefined behaviour.
    102:
      id: store_view_tko
      doc: Store a tile of a view. Elements outside the tensor are left out.
    103:
      id: subf
      doc: Difference of each pair of elements.
    104:
      id: subi
      doc: Difference of each pair of elements.
    105:
      id: tan
      doc: |
        Tangent of radians. Accurate as the CUDA math library; f16 and bf16 are computed in f32
        and rounded again.
    106:
      id: tanh
      doc: |
        Hyperbolic tangent. Accurate as the CUDA math library; f16 and bf16 are computed in f32
        and rounded again.
    107:
      id: trunci
      doc: Narrow integers to their low bits; the new type is strictly narrower.
    108:
      id: xori
      doc: Bitwise exclusive or of each pair of elements.
    109:
      id: yield_op
      -orig-id: yield
      doc: End a region of if, reduce or scan with its values.
    110:
      id: atan2
      doc: |
        Angle of the point whose ordinate is the first operand. Accurate as the CUDA math library;
        f16 and bf16 are computed in f32 and rounded again. Since 13.2.
    111:
      id: pack
      doc: |
        The bytes of a tile, little-endian; elements below a byte share one, lowest bits first.
        Since 13.3.
    112:
      id: unpack
      doc: 'The inverse of pack: read bytes as elements of another type. Since 13.3.'
    113:
      id: alloca
      doc: |
        Uninitialised memory that lives until the end of the block the op stands in. Since 13.3.
    114:
      id: mmaf_scaled
      doc: |
        Matrix product of scaled blocks plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch
        in front. V neighbours along K share a scale: 32 for f8, 16 or 32 for f4E2M1FN by scale
        type. Since 13.3.
    115:
      id: make_gather_scatter_view
      doc: Let tiles pick single positions of a tensor view along one dimension. Since 13.3.
    116:
      id: make_strided_view
      doc: Cut a tensor view into tiles that may overlap or leave gaps. Since 13.3.
    117:
      id: atomic_red_view_tko
      doc: |
        Combine a tile into a tile of a view without returning what was there. Elements outside
        the tensor are left out. Since 13.3.
    118:
      id: insert
      doc: |
        A copy of a tile with one of its slices replaced. Slice i starts at element i times the
        size of the source. Since 13.4.
    119:
      id: gdc_launch_dependents_tko
      doc: |
        Let the grids that depend on this one start, as far as this tile block is concerned. Since
        13.4.
    120:
      id: gdc_wait_tko
      doc: |
        Wait until the grids that this one depends on have finished and their writes are visible.
        Since 13.4.
    121:
      id: fpowi
      doc: Each element to an integer power. Since 13.4.
    122:
      id: memory_fence_alias_tko
      doc: |
        Order accesses to the same memory under different addresses, as multicast and unicast.
        Since 13.4.
    123:
      id: multimem_load_reduce_view_tko
      doc: Load a tile from all replicas of multicast memory and combine them. Since 13.5.
    124:
      id: multimem_reduce_view_tko
      doc: |
        Combine a tile into all replicas of multicast memory, each element atomically. Elements
        outside the tensor are left out. Since 13.5.
    125:
      id: multimem_store_view_tko
      doc: |
        Store a tile to all replicas of multicast memory. Elements outside the tensor are left
        out. Since 13.5.
    16386:
      id: preview_call
      -orig-id: 'preview$call'
      doc: Call an extern function of the module. Since 13.5 preview.
  rounding_mode:
    0:
      id: nearest_even
      doc: To the nearest value, ties to even.
    1:
      id: zero
      doc: Toward zero.
    2:
      id: negative_inf
      doc: Toward negative infinity.
    3:
      id: positive_inf
      doc: Toward positive infinity.
    4:
      id: approx
      doc: A fast approximation, f32 only.
    5:
      id: full
      doc: The accuracy of the CUDA math library.
    6:
      id: nearest_int_to_zero
      doc: To an integer, toward zero.
    7:
      id: nearest_away
      doc: To the nearest value, ties away from zero. Since 13.4.
  integer_overflow:
    0:
      id: none_case
      -orig-id: none
      doc: 'Nothing: the result wraps.'
    1:
      id: no_signed_wrap
      doc: The signed result fits.
    2:
      id: no_unsigned_wrap
      doc: The unsigned result fits.
    3:
      id: no_wrap
      doc: Both fit.
  memory_ordering_semantics:
    0:
      id: weak
      doc: No concurrent access is assumed.
    1:
      id: relaxed
      doc: Atomic, without ordering.
    2:
      id: acquire
      doc: Later operations see what a release published.
    3:
      id: release
      doc: Publishes earlier operations.
    4:
      id: acq_rel
      doc: Acquire and release.
  memory_scope:
    0:
      id: tl_blk
      doc: The tile block.
    1:
      id: device
      doc: The GPU.
    2:
      id: sys
      doc: The whole system, hosts and other GPUs included.
  atomic_rmw_mode:
    0:
      id: and_case
      -orig-id: and
      doc: Bitwise and.
    1:
      id: or_case
      -orig-id: or
      doc: Bitwise or.
    2:
      id: xor_case
      -orig-id: xor
      doc: Bitwise exclusive or.
    3:
      id: add
      doc: Integer addition, wrapping.
    4:
      id: addf
      doc: Floating-point addition.
    5:
      id: max
      doc: Signed maximum.
    6:
      id: min
      doc: Signed minimum.
    7:
      id: umax
      doc: Unsigned maximum.
    8:
      id: umin
      doc: Unsigned minimum.
    9:
      id: xchg
      doc: Exchange.
  comparison_predicate:
    0:
      id: equal
      doc: lhs == rhs.
    1:
      id: not_equal
      doc: 'lhs != rhs.'
    2:
      id: less_than
      doc: lhs < rhs.
    3:
      id: less_than_or_equal
      doc: lhs <= rhs.
    4:
      id: greater_than
      doc: lhs > rhs.
    5:
      id: greater_than_or_equal
      doc: lhs >= rhs.
  comparison_ordering:
    0:
      id: unordered
      doc: True.
    1:
      id: ordered
      doc: False.
  signedness:
    0:
      id: unsigned_case
      -orig-id: unsigned
      doc: 'As a number from 0 to 2^w-1.'
    1:
      id: signed_case
      -orig-id: signed
      doc: 'As a two''s-complement number.'
  debug_tag:
    0:
      id: unknown_tag
      -orig-id: Unknown
      doc: No location; also what any unassigned tag stands for.
    1:
      id: di_compile_unit
      -orig-id: DICompileUnit
      doc: A compilation.
    2:
      id: di_file
      -orig-id: DIFile
      doc: A source file.
    3:
      id: di_lexical_block
      -orig-id: DILexicalBlock
      doc: A nested scope inside a subprogram.
    4:
      id: di_loc
      -orig-id: DILoc
      doc: A position in a source file.
    5:
      id: di_subprogram
      -orig-id: DISubprogram
      doc: A function in source.
    6:
      id: call_site
      -orig-id: CallSite
      doc: A location inlined into another.
