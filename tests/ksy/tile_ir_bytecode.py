# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class TileIrBytecode(KaitaiStruct):
    """Kernels for NVIDIA GPUs in terms of tiles, as frontends such as cuTile write them and NVIDIA's
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

    .. seealso::
       Source - https://docs.nvidia.com/cuda/tile-ir/latest/sections/bytecode.html
    """

    class Access(IntEnum):
        in_case = 0
        out = 1
        inout = 2

    class AtomicRmwMode(IntEnum):
        and_case = 0
        or_case = 1
        xor_case = 2
        add = 3
        addf = 4
        max = 5
        min = 6
        umax = 7
        umin = 8
        xchg = 9

    class AttributeTag(IntEnum):
        integer = 1
        float_tag = 2
        bool_tag = 3
        type_tag = 4
        string = 5
        array = 6
        dense_elements = 7
        div_by = 8
        same_elements = 9
        dictionary = 10
        optimization_hints = 11
        bounded = 12
        multimem_reduction_kind = 13
        expr_int = 209
        expr_var = 210
        expr_mul = 211
        expr_div = 212
        expr_add = 213
        expr_sub = 214
        expr_floor_div = 215
        symbolic_tuple = 216
        layout = 217
        expr_ceil_div = 218
        concrete_type = 219
        expr_neg = 220
        memory_space = 221
        synchronization = 222
        access = 223
        scratch_request = 224
        const_param = 226
        expr_builtin = 227
        expr_const_str = 228

    class ComparisonOrdering(IntEnum):
        unordered = 0
        ordered = 1

    class ComparisonPredicate(IntEnum):
        equal = 0
        not_equal = 1
        less_than = 2
        less_than_or_equal = 3
        greater_than = 4
        greater_than_or_equal = 5

    class DebugTag(IntEnum):
        unknown_tag = 0
        di_compile_unit = 1
        di_file = 2
        di_lexical_block = 3
        di_loc = 4
        di_subprogram = 5
        call_site = 6

    class IntegerOverflow(IntEnum):
        none_case = 0
        no_signed_wrap = 1
        no_unsigned_wrap = 2
        no_wrap = 3

    class MemoryOrderingSemantics(IntEnum):
        weak = 0
        relaxed = 1
        acquire = 2
        release = 3
        acq_rel = 4

    class MemoryScope(IntEnum):
        tl_blk = 0
        device = 1
        sys = 2

    class MemorySpace(IntEnum):
        local = 0
        smem = 1

    class MultimemReductionKind(IntEnum):
        add = 0
        min = 1
        max = 2
        and_case = 3
        or_case = 4
        xor_case = 5
        umin = 6
        umax = 7

    class Opcode(IntEnum):
        absf = 0
        absi = 1
        addf = 2
        addi = 3
        andi = 4
        assert_op = 5
        assume = 6
        atomic_cas_tko = 7
        atomic_rmw_tko = 8
        bitcast = 9
        break_op = 10
        broadcast = 11
        cat = 12
        ceil = 13
        cmpf = 14
        cmpi = 15
        constant = 16
        continue_op = 17
        cos = 18
        cosh = 19
        divf = 20
        divi = 21
        exp = 23
        exp2 = 24
        exti = 37
        extract = 38
        floor = 39
        fma = 40
        for_op = 41
        ftof = 42
        ftoi = 43
        get_global = 44
        get_index_space_shape = 45
        get_num_tile_blocks = 46
        get_tensor_shape = 47
        get_tile_block_id = 48
        if_op = 50
        int_to_ptr = 51
        iota = 58
        itof = 59
        join_tokens = 60
        load_ptr_tko = 61
        load_view_tko = 62
        log = 63
        log2 = 64
        loop_op = 65
        make_partition_view = 66
        make_tensor_view = 67
        make_token = 68
        maxf = 69
        maxi = 70
        minf = 71
        mini = 72
        mmaf = 73
        mmai = 74
        mulf = 76
        mulhii = 77
        muli = 78
        negf = 79
        negi = 80
        offset = 81
        ori = 82
        permute = 83
        fpowf = 84
        print_tko = 85
        ptr_to_int = 86
        ptr_to_ptr = 87
        reduce = 88
        remf = 89
        remi = 90
        reshape = 91
        return_op = 92
        rsqrt = 93
        scan = 94
        select_op = 95
        shli = 96
        shri = 97
        sin = 98
        sinh = 99
        sqrt = 100
        store_ptr_tko = 101
        store_view_tko = 102
        subf = 103
        subi = 104
        tan = 105
        tanh = 106
        trunci = 107
        xori = 108
        yield_op = 109
        atan2 = 110
        pack = 111
        unpack = 112
        alloca = 113
        mmaf_scaled = 114
        make_gather_scatter_view = 115
        make_strided_view = 116
        atomic_red_view_tko = 117
        insert = 118
        gdc_launch_dependents_tko = 119
        gdc_wait_tko = 120
        fpowi = 121
        memory_fence_alias_tko = 122
        multimem_load_reduce_view_tko = 123
        multimem_reduce_view_tko = 124
        multimem_store_view_tko = 125
        preview_call = 16386

    class PaddingValue(IntEnum):
        zero = 0
        neg_zero = 1
        nan = 2
        pos_inf = 3
        neg_inf = 4

    class PtrAttr(IntEnum):
        none_case = 0
        unicast = 1
        multicast = 2

    class RoundingMode(IntEnum):
        nearest_even = 0
        zero = 1
        negative_inf = 2
        positive_inf = 3
        approx = 4
        full = 5
        nearest_int_to_zero = 6
        nearest_away = 7

    class SectionKind(IntEnum):
        end = 0
        string = 1
        func_section = 2
        debug = 3
        constant = 4
        type_section = 5
        global_section = 6
        producer = 7

    class Signedness(IntEnum):
        unsigned_case = 0
        signed_case = 1

    class SymbolVisibility(IntEnum):
        public_case = 0
        private_case = 1

    class Synchronization(IntEnum):
        none_case = 0
        warp = 1
        warpgroup = 2
        cta = 3

    class TypeTag(IntEnum):
        i1 = 0
        i8 = 1
        i16 = 2
        i32 = 3
        i64 = 4
        f16 = 5
        bf16 = 6
        f32 = 7
        tf32 = 8
        f64 = 9
        f8e4m3fn = 10
        f8e5m2 = 11
        ptr = 12
        tile = 13
        tensor_view = 14
        partition_view = 15
        func_tag = 16
        token = 17
        f8e8m0fnu = 18
        f4e2m1fn = 19
        gather_scatter_view = 20
        strided_view = 21
        i4 = 22
        fnv8e5m3fnu = 130
        preview_sym_t = 209
        preview_fragment = 210
        preview_datatype = 211
        preview_shape = 212
        preview_string = 213
        index = 214
        none_tag = 215
    def __init__(self, _io, _parent=None, _root=None):
        super(TileIrBytecode, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.header = TileIrBytecode.Header(self._io, self, self._root)
        self.sections = []
        i = 0
        while True:
            _ = TileIrBytecode.Section(i, self._io, self, self._root)
            self.sections.append(_)
            if  ((_.index_of_types >= -1) and (_.is_end)) :
                break
            i += 1
        self.trailing = self._io.read_bytes_full()
        _ = self.trailing
        if not len(_) == 0:
            raise kaitaistruct.ValidationExprError(self.trailing, self._io, u"/seq/2")


    def _fetch_instances(self):
        pass
        self.header._fetch_instances()
        for i in range(len(self.sections)):
            pass
            self.sections[i]._fetch_instances()


    class AccessEnum(KaitaiStruct):
        """What an extern function does with a parameter. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AccessEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not  ((self._root.preview) and (_.value <= 2)) :
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/access_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.Access, self.number.value)
            return getattr(self, '_m_value', None)


    class AtomicRmwModeEnum(KaitaiStruct):
        """What an atomic read-modify-write does to the element in memory."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AtomicRmwModeEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not _.value <= 9:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/atomic_rmw_mode_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.AtomicRmwMode, self.number.value)
            return getattr(self, '_m_value', None)


    class Attribute(KaitaiStruct):
        """A value known when the module is written; its tag selects the fields."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Attribute, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.tag
            if not  (( ((_.value >= 1) and (_.value <= 12)) ) or ( ((self._root.version >= 1305) and (_.value == 13)) ) or ( ((self._root.preview) and ( (( ((_.value >= 209) and (_.value <= 224)) ) or ( ((_.value >= 226) and (_.value <= 228)) )) )) )) :
                raise kaitaistruct.ValidationExprError(self.tag, self._io, u"/types/attribute/seq/0")
            _on = self.kind
            if _on == TileIrBytecode.AttributeTag.access:
                pass
                self.fields = TileIrBytecode.AttributeAccess(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.array:
                pass
                self.fields = TileIrBytecode.AttributeArray(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.bool_tag:
                pass
                self.fields = TileIrBytecode.AttributeBool(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.bounded:
                pass
                self.fields = TileIrBytecode.AttributeBounded(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.concrete_type:
                pass
                self.fields = TileIrBytecode.AttributeConcreteType(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.const_param:
                pass
                self.fields = TileIrBytecode.AttributeConstParam(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.dense_elements:
                pass
                self.fields = TileIrBytecode.AttributeDenseElements(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.dictionary:
                pass
                self.fields = TileIrBytecode.AttributeDictionary(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.div_by:
                pass
                self.fields = TileIrBytecode.AttributeDivBy(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_add:
                pass
                self.fields = TileIrBytecode.AttributeExprAdd(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_builtin:
                pass
                self.fields = TileIrBytecode.AttributeExprBuiltin(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_ceil_div:
                pass
                self.fields = TileIrBytecode.AttributeExprCeilDiv(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_const_str:
                pass
                self.fields = TileIrBytecode.AttributeExprConstStr(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_div:
                pass
                self.fields = TileIrBytecode.AttributeExprDiv(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_floor_div:
                pass
                self.fields = TileIrBytecode.AttributeExprFloorDiv(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_int:
                pass
                self.fields = TileIrBytecode.AttributeExprInt(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_mul:
                pass
                self.fields = TileIrBytecode.AttributeExprMul(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_neg:
                pass
                self.fields = TileIrBytecode.AttributeExprNeg(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_sub:
                pass
                self.fields = TileIrBytecode.AttributeExprSub(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.expr_var:
                pass
                self.fields = TileIrBytecode.AttributeExprVar(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.float_tag:
                pass
                self.fields = TileIrBytecode.AttributeFloat(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.integer:
                pass
                self.fields = TileIrBytecode.AttributeInteger(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.layout:
                pass
                self.fields = TileIrBytecode.AttributeLayout(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.memory_space:
                pass
                self.fields = TileIrBytecode.AttributeMemorySpace(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.multimem_reduction_kind:
                pass
                self.fields = TileIrBytecode.AttributeMultimemReductionKind(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.optimization_hints:
                pass
                self.fields = TileIrBytecode.AttributeOptimizationHints(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.same_elements:
                pass
                self.fields = TileIrBytecode.AttributeSameElements(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.scratch_request:
                pass
                self.fields = TileIrBytecode.AttributeScratchRequest(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.string:
                pass
                self.fields = TileIrBytecode.AttributeString(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.symbolic_tuple:
                pass
                self.fields = TileIrBytecode.AttributeSymbolicTuple(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.synchronization:
                pass
                self.fields = TileIrBytecode.AttributeSynchronization(self._io, self, self._root)
            elif _on == TileIrBytecode.AttributeTag.type_tag:
                pass
                self.fields = TileIrBytecode.AttributeType(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            _on = self.kind
            if _on == TileIrBytecode.AttributeTag.access:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.array:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.bool_tag:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.bounded:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.concrete_type:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.const_param:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.dense_elements:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.dictionary:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.div_by:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_add:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_builtin:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_ceil_div:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_const_str:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_div:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_floor_div:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_int:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_mul:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_neg:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_sub:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.expr_var:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.float_tag:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.integer:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.layout:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.memory_space:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.multimem_reduction_kind:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.optimization_hints:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.same_elements:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.scratch_request:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.string:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.symbolic_tuple:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.synchronization:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.AttributeTag.type_tag:
                pass
                self.fields._fetch_instances()

        @property
        def kind(self):
            if hasattr(self, '_m_kind'):
                return self._m_kind

            self._m_kind = KaitaiStream.resolve_enum(TileIrBytecode.AttributeTag, self.tag.value)
            return getattr(self, '_m_kind', None)


    class AttributeAccess(KaitaiStruct):
        """What an extern function does with a parameter. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeAccess, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.access = TileIrBytecode.AccessEnum(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.access._fetch_instances()


    class AttributeArray(KaitaiStruct):
        """Any attributes in order."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeArray, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.elements = TileIrBytecode.ListOfAttribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.elements._fetch_instances()


    class AttributeBool(KaitaiStruct):
        """Truth value."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeBool, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.truth = self._io.read_u1()


        def _fetch_instances(self):
            pass


    class AttributeBounded(KaitaiStruct):
        """Assumption: signed inclusive bounds."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeBounded, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            _ = self.flags
            if not _.value < 4:
                raise kaitaistruct.ValidationExprError(self.flags, self._io, u"/types/attribute_bounded/seq/0")
            if self.flags.value & 1 != 0:
                pass
                self.lower = TileIrBytecode.SignedVarint(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.upper = TileIrBytecode.SignedVarint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.flags._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.lower._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.upper._fetch_instances()



    class AttributeConcreteType(KaitaiStruct):
        """Expression: a type. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeConcreteType, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.type_field = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.type_field._fetch_instances()


    class AttributeConstParam(KaitaiStruct):
        """A parameter of an extern function that is known when it is compiled. Since 13.5 preview.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeConstParam, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = TileIrBytecode.Varint32(self._io, self, self._root)
            self.type_field = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.type_field._fetch_instances()


    class AttributeDenseElements(KaitaiStruct):
        """A tile's worth of numbers."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeDenseElements, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.type_field = TileIrBytecode.Varint32(self._io, self, self._root)
            self.constant = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.type_field._fetch_instances()
            self.constant._fetch_instances()


    class AttributeDictionary(KaitaiStruct):
        """Named attributes."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeDictionary, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.entries = TileIrBytecode.ListOfDictionaryEntry(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.entries._fetch_instances()


    class AttributeDivBy(KaitaiStruct):
        """Assumption: divisible by `divisor`, every `every` elements along dimension `along`."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeDivBy, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.divisor = TileIrBytecode.Varint(self._io, self, self._root)
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            _ = self.flags
            if not _.value < 4:
                raise kaitaistruct.ValidationExprError(self.flags, self._io, u"/types/attribute_div_by/seq/1")
            if self.flags.value & 1 != 0:
                pass
                self.every = TileIrBytecode.SignedVarint(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.along = TileIrBytecode.SignedVarint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.divisor._fetch_instances()
            self.flags._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.every._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.along._fetch_instances()



    class AttributeExprAdd(KaitaiStruct):
        """Expression: a sum. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprAdd, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.lhs = TileIrBytecode.Attribute(self._io, self, self._root)
            self.rhs = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class AttributeExprBuiltin(KaitaiStruct):
        """Expression: a value that the compiler knows. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprBuiltin, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = TileIrBytecode.Varint32(self._io, self, self._root)
            self.type_field = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.type_field._fetch_instances()


    class AttributeExprCeilDiv(KaitaiStruct):
        """Expression: a quotient, rounded up. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprCeilDiv, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.lhs = TileIrBytecode.Attribute(self._io, self, self._root)
            self.rhs = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class AttributeExprConstStr(KaitaiStruct):
        """Expression: a string. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprConstStr, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.string = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.string._fetch_instances()


    class AttributeExprDiv(KaitaiStruct):
        """Expression: a quotient. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprDiv, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.lhs = TileIrBytecode.Attribute(self._io, self, self._root)
            self.rhs = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class AttributeExprFloorDiv(KaitaiStruct):
        """Expression: a quotient, rounded down. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprFloorDiv, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.lhs = TileIrBytecode.Attribute(self._io, self, self._root)
            self.rhs = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class AttributeExprInt(KaitaiStruct):
        """Expression: a number. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprInt, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.SignedVarint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()


    class AttributeExprMul(KaitaiStruct):
        """Expression: a product. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprMul, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.lhs = TileIrBytecode.Attribute(self._io, self, self._root)
            self.rhs = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class AttributeExprNeg(KaitaiStruct):
        """Expression: a negated one. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprNeg, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.operand = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.operand._fetch_instances()


    class AttributeExprSub(KaitaiStruct):
        """Expression: a difference. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprSub, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.lhs = TileIrBytecode.Attribute(self._io, self, self._root)
            self.rhs = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class AttributeExprVar(KaitaiStruct):
        """Expression: the value of a parameter of an extern function. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeExprVar, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()


    class AttributeFloat(KaitaiStruct):
        """Floating-point number of a given type, as its bit pattern."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeFloat, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.type_field = TileIrBytecode.Varint32(self._io, self, self._root)
            self.bits = TileIrBytecode.FloatBits(self._root.types.slots[self.type_field.value].entry.float_width, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.type_field._fetch_instances()
            self.bits._fetch_instances()


    class AttributeInteger(KaitaiStruct):
        """Integer of a given type."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeInteger, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.type_field = TileIrBytecode.Varint32(self._io, self, self._root)
            self.bits = TileIrBytecode.IntegerBits(self._root.types.slots[self.type_field.value].entry.integer_width, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.type_field._fetch_instances()
            self.bits._fetch_instances()


    class AttributeLayout(KaitaiStruct):
        """A map from coordinates to numbers: the sum of coordinates times strides. Since 13.5 preview.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeLayout, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.shape = TileIrBytecode.ListOfAttribute(self._io, self, self._root)
            self.stride = TileIrBytecode.ListOfAttribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.shape._fetch_instances()
            self.stride._fetch_instances()


    class AttributeMemorySpace(KaitaiStruct):
        """Where a fragment is. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeMemorySpace, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.space = TileIrBytecode.MemorySpaceEnum(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.space._fetch_instances()


    class AttributeMultimemReductionKind(KaitaiStruct):
        """How multicast replicas are combined. Since 13.5."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeMultimemReductionKind, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.reduction = TileIrBytecode.MultimemReductionKindEnum(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.reduction._fetch_instances()


    class AttributeOptimizationHints(KaitaiStruct):
        """Hints by architecture; they never change a result."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeOptimizationHints, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.entries = TileIrBytecode.ListOfDictionaryEntry(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.entries._fetch_instances()


    class AttributeSameElements(KaitaiStruct):
        """Assumption: groups of this many neighbours along each dimension are equal."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeSameElements, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.groups = TileIrBytecode.ListOfS8(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.groups._fetch_instances()


    class AttributeScratchRequest(KaitaiStruct):
        """Shared memory that an implementation needs for itself. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeScratchRequest, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = TileIrBytecode.Attribute(self._io, self, self._root)
            self.alignment = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.size._fetch_instances()
            self.alignment._fetch_instances()


    class AttributeString(KaitaiStruct):
        """A string."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.string = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.string._fetch_instances()


    class AttributeSymbolicTuple(KaitaiStruct):
        """Expressions in order, such as the extents of a tile. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeSymbolicTuple, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.elements = TileIrBytecode.ListOfAttribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.elements._fetch_instances()


    class AttributeSynchronization(KaitaiStruct):
        """Which threads an extern function synchronises. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeSynchronization, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.synchronization = TileIrBytecode.SynchronizationEnum(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.synchronization._fetch_instances()


    class AttributeType(KaitaiStruct):
        """A type."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.AttributeType, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.type_field = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.type_field._fetch_instances()


    class Block(KaitaiStruct):
        """The types of its arguments, then its ops."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Block, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.arguments = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.ops = TileIrBytecode.ListOfOp(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.arguments._fetch_instances()
            self.ops._fetch_instances()


    class ComparisonOrderingEnum(KaitaiStruct):
        """What a floating-point comparison gives when an operand is a NaN."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ComparisonOrderingEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not _.value <= 1:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/comparison_ordering_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.ComparisonOrdering, self.number.value)
            return getattr(self, '_m_value', None)


    class ComparisonPredicateEnum(KaitaiStruct):
        """The relation that a comparison tests."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ComparisonPredicateEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not _.value <= 5:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/comparison_predicate_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.ComparisonPredicate, self.number.value)
            return getattr(self, '_m_value', None)


    class DebugCallSite(KaitaiStruct):
        """A location inlined into another."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugCallSite, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.callee = TileIrBytecode.Varint32(self._io, self, self._root)
            self.caller = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.callee._fetch_instances()
            self.caller._fetch_instances()


    class DebugDiCompileUnit(KaitaiStruct):
        """A compilation."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugDiCompileUnit, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.file = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.file._fetch_instances()


    class DebugDiFile(KaitaiStruct):
        """A source file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugDiFile, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = TileIrBytecode.Varint32(self._io, self, self._root)
            self.directory = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.directory._fetch_instances()


    class DebugDiLexicalBlock(KaitaiStruct):
        """A nested scope inside a subprogram."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugDiLexicalBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.scope = TileIrBytecode.Varint32(self._io, self, self._root)
            self.file = TileIrBytecode.Varint32(self._io, self, self._root)
            self.line = TileIrBytecode.Varint32(self._io, self, self._root)
            self.column = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.scope._fetch_instances()
            self.file._fetch_instances()
            self.line._fetch_instances()
            self.column._fetch_instances()


    class DebugDiLoc(KaitaiStruct):
        """A position in a source file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugDiLoc, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.scope = TileIrBytecode.Varint32(self._io, self, self._root)
            self.filename = TileIrBytecode.Varint32(self._io, self, self._root)
            self.line = TileIrBytecode.Varint32(self._io, self, self._root)
            self.column = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.scope._fetch_instances()
            self.filename._fetch_instances()
            self.line._fetch_instances()
            self.column._fetch_instances()


    class DebugDiSubprogram(KaitaiStruct):
        """A function in source."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugDiSubprogram, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.file = TileIrBytecode.Varint32(self._io, self, self._root)
            self.line = TileIrBytecode.Varint32(self._io, self, self._root)
            self.name = TileIrBytecode.Varint32(self._io, self, self._root)
            self.linkage_name = TileIrBytecode.Varint32(self._io, self, self._root)
            self.compile_unit = TileIrBytecode.Varint32(self._io, self, self._root)
            self.scope_line = TileIrBytecode.Varint32(self._io, self, self._root)
            if self._root.version >= 1305:
                pass
                self.flags = TileIrBytecode.Varint(self._io, self, self._root)
                _ = self.flags
                if not _.value < 2:
                    raise kaitaistruct.ValidationExprError(self.flags, self._io, u"/types/debug_di_subprogram/seq/6")



        def _fetch_instances(self):
            pass
            self.file._fetch_instances()
            self.line._fetch_instances()
            self.name._fetch_instances()
            self.linkage_name._fetch_instances()
            self.compile_unit._fetch_instances()
            self.scope_line._fetch_instances()
            if self._root.version >= 1305:
                pass
                self.flags._fetch_instances()



    class DebugRecord(KaitaiStruct):
        """A record of the Debug section. References to records are 1-based, 0 is unknown. Tags without
        a name stand for an unknown location.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugRecord, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.tag
            if not _.value <= 255:
                raise kaitaistruct.ValidationExprError(self.tag, self._io, u"/types/debug_record/seq/0")
            _on = self.kind
            if _on == TileIrBytecode.DebugTag.call_site:
                pass
                self.fields = TileIrBytecode.DebugCallSite(self._io, self, self._root)
            elif _on == TileIrBytecode.DebugTag.di_compile_unit:
                pass
                self.fields = TileIrBytecode.DebugDiCompileUnit(self._io, self, self._root)
            elif _on == TileIrBytecode.DebugTag.di_file:
                pass
                self.fields = TileIrBytecode.DebugDiFile(self._io, self, self._root)
            elif _on == TileIrBytecode.DebugTag.di_lexical_block:
                pass
                self.fields = TileIrBytecode.DebugDiLexicalBlock(self._io, self, self._root)
            elif _on == TileIrBytecode.DebugTag.di_loc:
                pass
                self.fields = TileIrBytecode.DebugDiLoc(self._io, self, self._root)
            elif _on == TileIrBytecode.DebugTag.di_subprogram:
                pass
                self.fields = TileIrBytecode.DebugDiSubprogram(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            _on = self.kind
            if _on == TileIrBytecode.DebugTag.call_site:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.DebugTag.di_compile_unit:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.DebugTag.di_file:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.DebugTag.di_lexical_block:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.DebugTag.di_loc:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.DebugTag.di_subprogram:
                pass
                self.fields._fetch_instances()

        @property
        def kind(self):
            if hasattr(self, '_m_kind'):
                return self._m_kind

            self._m_kind = KaitaiStream.resolve_enum(TileIrBytecode.DebugTag, self.tag.value)
            return getattr(self, '_m_kind', None)


    class DebugRecordSlot(KaitaiStruct):
        """Where an entry lies, counted from the first byte after the offsets, and the entry."""
        def __init__(self, idx, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugRecordSlot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.idx = idx
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass
            _ = self.entry
            if hasattr(self, '_m_entry'):
                pass
                self._m_entry._fetch_instances()


        @property
        def end(self):
            if hasattr(self, '_m_end'):
                return self._m_end

            self._m_end = (self.following if  ((self.following >= self.offset) and (self.following <= self.limit))  else self.limit)
            return getattr(self, '_m_end', None)

        @property
        def entry(self):
            if hasattr(self, '_m_entry'):
                return self._m_entry

            io = self._parent.raw._io
            _pos = io.pos()
            io.seek(self.start)
            self._raw__m_entry = io.read_bytes(self.end - self.start)
            _io__raw__m_entry = KaitaiStream(BytesIO(self._raw__m_entry))
            self._m_entry = TileIrBytecode.DebugRecord(_io__raw__m_entry, self, self._root)
            io.seek(_pos)
            return getattr(self, '_m_entry', None)

        @property
        def following(self):
            if hasattr(self, '_m_following'):
                return self._m_following

            self._m_following = (self._parent.offsets[self.idx + 1] if self.idx + 1 < len(self._parent.offsets) else self.limit)
            return getattr(self, '_m_following', None)

        @property
        def limit(self):
            if hasattr(self, '_m_limit'):
                return self._m_limit

            self._m_limit = len(self._parent.raw.data)
            return getattr(self, '_m_limit', None)

        @property
        def offset(self):
            if hasattr(self, '_m_offset'):
                return self._m_offset

            self._m_offset = self._parent.offsets[self.idx]
            return getattr(self, '_m_offset', None)

        @property
        def start(self):
            if hasattr(self, '_m_start'):
                return self._m_start

            self._m_start = (self.offset if self.offset < self.limit else self.limit)
            return getattr(self, '_m_start', None)


    class DebugRecordTable(KaitaiStruct):
        """Entries found by offsets into the bytes after the offsets. An entry runs to where the next
        begins, or to the end where that is not further on; an offset beyond the end means the end.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugRecordTable, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            if self.count.value != 0:
                pass
                self.padding = TileIrBytecode.Padding(4, self._io, self, self._root)

            self.offsets = []
            for i in range(self.count.value):
                self.offsets.append(self._io.read_u4le())

            self._raw_raw = self._io.read_bytes_full()
            _io__raw_raw = KaitaiStream(BytesIO(self._raw_raw))
            self.raw = TileIrBytecode.RawBytes(_io__raw_raw, self, self._root)


        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            if self.count.value != 0:
                pass
                self.padding._fetch_instances()

            for i in range(len(self.offsets)):
                pass

            self.raw._fetch_instances()
            _ = self.slots
            if hasattr(self, '_m_slots'):
                pass
                for i in range(len(self._m_slots)):
                    pass
                    self._m_slots[i]._fetch_instances()



        @property
        def slots(self):
            if hasattr(self, '_m_slots'):
                return self._m_slots

            self._m_slots = []
            for i in range(self.count.value):
                self._m_slots.append(TileIrBytecode.DebugRecordSlot(i, self._io, self, self._root))

            return getattr(self, '_m_slots', None)


    class DebugSection(KaitaiStruct):
        """Where functions and ops come from in source."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DebugSection, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.starts = TileIrBytecode.PaddedListOfU4(self._io, self, self._root)
            self.indices = TileIrBytecode.PaddedListOfU8(self._io, self, self._root)
            self.records = TileIrBytecode.DebugRecordTable(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.starts._fetch_instances()
            self.indices._fetch_instances()
            self.records._fetch_instances()


    class DictionaryEntry(KaitaiStruct):
        """An attribute and its name."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.DictionaryEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = TileIrBytecode.Varint32(self._io, self, self._root)
            self.value = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            self.value._fetch_instances()


    class FloatBits(KaitaiStruct):
        """The bit pattern of a number of `width` bits. Floats: up to 8 bits take a byte, others a
        zigzag varint of the pattern read as a signed 64-bit number. cuTile 1.7.0 does not wrap a
        negative f64 to 64 bits, so that 65 bits arrive; NVIDIA's readers lose the sign then, here
        the value is what was meant.
        """
        def __init__(self, width, _io, _parent=None, _root=None):
            super(TileIrBytecode.FloatBits, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.width = width
            self._read()

        def _read(self):
            if  ((self.width == 4) or (self.width == 8)) :
                pass
                self.byte_value = self._io.read_u1()
                _ = self.byte_value
                if not  (( ((self.width == 4) and (_ <= 15)) ) or ( ((self.width == 8) and (_ <= 255)) )) :
                    raise kaitaistruct.ValidationExprError(self.byte_value, self._io, u"/types/float_bits/seq/0")

            if (not ( ((self.width == 4) or (self.width == 8)) )):
                pass
                self.number = TileIrBytecode.Varint(self._io, self, self._root)
                _ = self.number
                if not  ((self.width == 64) or ( ((_.lowest == 0) and ( ((self.width == 64) or ( ((self.width == 16) and (_.half < 65536)) ) or ( ((self.width == 19) and (_.half < 524288)) ) or ( ((self.width == 32) and (_.half < 4294967296)) )) )) )) :
                    raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/float_bits/seq/1")



        def _fetch_instances(self):
            pass
            if  ((self.width == 4) or (self.width == 8)) :
                pass

            if (not ( ((self.width == 4) or (self.width == 8)) )):
                pass
                self.number._fetch_instances()


        @property
        def excess(self):
            """Bits 63 and up, as they were written."""
            if hasattr(self, '_m_excess'):
                return self._m_excess

            self._m_excess = (self.number.groups[9].bits if len(self.number.groups) > 9 else 0)
            return getattr(self, '_m_excess', None)

        @property
        def last(self):
            """2^64 - 1."""
            if hasattr(self, '_m_last'):
                return self._m_last

            self._m_last = 18446744073709551615
            return getattr(self, '_m_last', None)

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = (self.byte_value if  ((self.width == 4) or (self.width == 8))  else (self.wide if self.excess > 1 else (self.number.half if self.number.lowest == 0 else self.last - self.number.half)))
            return getattr(self, '_m_value', None)

        @property
        def wide(self):
            """A pattern of 64 bits that was doubled."""
            if hasattr(self, '_m_wide'):
                return self._m_wide

            self._m_wide = (self.number.half + ((self.excess // 2) % 2) * (self.number.groups[9].weight * 2))
            return getattr(self, '_m_wide', None)


    class Function(KaitaiStruct):
        """A kernel; in preview files also an extern function."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Function, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = TileIrBytecode.Varint32(self._io, self, self._root)
            self.signature = TileIrBytecode.Varint32(self._io, self, self._root)
            self.flags = self._io.read_u1()
            _ = self.flags
            if not  (( ((_ & 2 != 0) and ( ((self._root.version < 1305) or (_ <= 3)) )) ) or ( ((self._root.preview) and (_ & 2 == 0) and (_ <= 5)) )) :
                raise kaitaistruct.ValidationExprError(self.flags, self._io, u"/types/function/seq/2")
            self.location = TileIrBytecode.Varint32(self._io, self, self._root)
            if  (( ((self._root.version < 1305) and (self.flags & 2 != 0) and (self.flags & 4 != 0)) ) or ( ((self._root.version >= 1305) and (self.flags & 2 != 0)) )) :
                pass
                self.hints = TileIrBytecode.Attribute(self._io, self, self._root)

            if  (( ((self._root.version >= 1305) and ((not (self._root.preview))) and (self.flags & 2 != 0)) ) or ( ((self._root.preview) and (self.flags & 4 == 0)) )) :
                pass
                self.argument_attributes = TileIrBytecode.Attribute(self._io, self, self._root)

            if  ((self._root.preview) and (self.flags & 4 != 0)) :
                pass
                self.implementation = TileIrBytecode.Implementation(self._io, self, self._root)

            self.body = TileIrBytecode.FunctionBody(self._io, self, self._root)
            if  ((self._root.preview) and (self.flags & 6 == 0)) :
                pass
                self.const_params = TileIrBytecode.Attribute(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.signature._fetch_instances()
            self.location._fetch_instances()
            if  (( ((self._root.version < 1305) and (self.flags & 2 != 0) and (self.flags & 4 != 0)) ) or ( ((self._root.version >= 1305) and (self.flags & 2 != 0)) )) :
                pass
                self.hints._fetch_instances()

            if  (( ((self._root.version >= 1305) and ((not (self._root.preview))) and (self.flags & 2 != 0)) ) or ( ((self._root.preview) and (self.flags & 4 == 0)) )) :
                pass
                self.argument_attributes._fetch_instances()

            if  ((self._root.preview) and (self.flags & 4 != 0)) :
                pass
                self.implementation._fetch_instances()

            self.body._fetch_instances()
            if  ((self._root.preview) and (self.flags & 6 == 0)) :
                pass
                self.const_params._fetch_instances()



    class FunctionBody(KaitaiStruct):
        """The ops of a function, sized so that they can be skipped."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.FunctionBody, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = TileIrBytecode.Varint(self._io, self, self._root)
            self._raw_window = self._io.read_bytes(self.length.value)
            _io__raw_window = KaitaiStream(BytesIO(self._raw_window))
            self.window = TileIrBytecode.OpStream(_io__raw_window, self, self._root)


        def _fetch_instances(self):
            pass
            self.length._fetch_instances()
            self.window._fetch_instances()


    class GlobalRecord(KaitaiStruct):
        """A variable of the module."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.GlobalRecord, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = TileIrBytecode.Varint32(self._io, self, self._root)
            self.type_field = TileIrBytecode.Varint32(self._io, self, self._root)
            self.value = TileIrBytecode.Varint32(self._io, self, self._root)
            self.alignment = TileIrBytecode.Varint(self._io, self, self._root)
            if self._root.version >= 1303:
                pass
                self.visibility = TileIrBytecode.SymbolVisibilityEnum(self._io, self, self._root)

            if self._root.version >= 1303:
                pass
                self.constant = TileIrBytecode.Varint(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.type_field._fetch_instances()
            self.value._fetch_instances()
            self.alignment._fetch_instances()
            if self._root.version >= 1303:
                pass
                self.visibility._fetch_instances()

            if self._root.version >= 1303:
                pass
                self.constant._fetch_instances()



    class Header(KaitaiStruct):
        """The first bytes of the file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Header, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.magic = self._io.read_bytes(8)
            if not self.magic == b"\x7F\x54\x69\x6C\x65\x49\x52\x00":
                raise kaitaistruct.ValidationNotEqualError(b"\x7F\x54\x69\x6C\x65\x49\x52\x00", self.magic, self._io, u"/types/header/seq/0")
            self.version = TileIrBytecode.Version(self._io, self, self._root)
            self.tag = self._io.read_u2le()
            _ = self.tag
            if not  ((_ <= 1) or (self.version.minor < 5)) :
                raise kaitaistruct.ValidationExprError(self.tag, self._io, u"/types/header/seq/2")


        def _fetch_instances(self):
            pass
            self.version._fetch_instances()


    class Implementation(KaitaiStruct):
        """What an implementation of an extern function implements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Implementation, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.sym_name = TileIrBytecode.Varint32(self._io, self, self._root)
            self.implements_field = TileIrBytecode.Varint32(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.const_params = TileIrBytecode.ListOfAttribute(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.const_args = TileIrBytecode.ListOfAttribute(self._io, self, self._root)

            self.function_type = TileIrBytecode.Varint32(self._io, self, self._root)
            if self.flags.value & 4 != 0:
                pass
                self.arg_attrs = TileIrBytecode.ListOfAttribute(self._io, self, self._root)

            if self.flags.value & 8 != 0:
                pass
                self.res_attrs = TileIrBytecode.ListOfAttribute(self._io, self, self._root)

            if self.flags.value & 16 != 0:
                pass
                self.scratch_smem = TileIrBytecode.ScratchRequest(self._io, self, self._root)

            if self.flags.value & 32 != 0:
                pass
                self.config = TileIrBytecode.ListOfDictionaryEntry(self._io, self, self._root)

            if self.flags.value & 64 != 0:
                pass
                self.arch = TileIrBytecode.ListOfAttribute(self._io, self, self._root)

            if self.flags.value & 128 != 0:
                pass
                self.frontend_abi = TileIrBytecode.ListOfDictionaryEntry(self._io, self, self._root)

            if self.flags.value & 256 != 0:
                pass
                self.synchronization = TileIrBytecode.SynchronizationEnum(self._io, self, self._root)

            self.regions = TileIrBytecode.Regions(1, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.flags._fetch_instances()
            self.sym_name._fetch_instances()
            self.implements_field._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.const_params._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.const_args._fetch_instances()

            self.function_type._fetch_instances()
            if self.flags.value & 4 != 0:
                pass
                self.arg_attrs._fetch_instances()

            if self.flags.value & 8 != 0:
                pass
                self.res_attrs._fetch_instances()

            if self.flags.value & 16 != 0:
                pass
                self.scratch_smem._fetch_instances()

            if self.flags.value & 32 != 0:
                pass
                self.config._fetch_instances()

            if self.flags.value & 64 != 0:
                pass
                self.arch._fetch_instances()

            if self.flags.value & 128 != 0:
                pass
                self.frontend_abi._fetch_instances()

            if self.flags.value & 256 != 0:
                pass
                self.synchronization._fetch_instances()

            self.regions._fetch_instances()


    class IntegerBits(KaitaiStruct):
        """The bit pattern of a number of `width` bits. Integers: i1 takes a byte, others a varint of
        the zero-extended pattern.
        """
        def __init__(self, width, _io, _parent=None, _root=None):
            super(TileIrBytecode.IntegerBits, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.width = width
            self._read()

        def _read(self):
            if self.width == 1:
                pass
                self.byte_value = self._io.read_u1()

            if (not (self.width == 1)):
                pass
                self.number = TileIrBytecode.Varint(self._io, self, self._root)
                _ = self.number
                if not  ((self.width == 64) or ( ((self.width == 4) and (_.half < 8)) ) or ( ((self.width == 8) and (_.half < 128)) ) or ( ((self.width == 16) and (_.half < 32768)) ) or ( ((self.width == 32) and (_.half < 2147483648)) )) :
                    raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/integer_bits/seq/1")



        def _fetch_instances(self):
            pass
            if self.width == 1:
                pass

            if (not (self.width == 1)):
                pass
                self.number._fetch_instances()


        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = ((1 if self.byte_value != 0 else 0) if self.width == 1 else self.number.value)
            return getattr(self, '_m_value', None)


    class IntegerOverflowEnum(KaitaiStruct):
        """What the producer promises about overflow; a broken promise is undefined behaviour."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.IntegerOverflowEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not _.value <= 3:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/integer_overflow_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.IntegerOverflow, self.number.value)
            return getattr(self, '_m_value', None)


    class ListOfAttribute(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfAttribute, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(TileIrBytecode.Attribute(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class ListOfBlock(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(TileIrBytecode.Block(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class ListOfBoundedS4(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfBoundedS4, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(self._io.read_s4le())
                if not self.items[i] >= -2147483646:
                    raise kaitaistruct.ValidationLessThanError(-2147483646, self.items[i], self._io, u"/types/list_of_bounded_s4/seq/1")
                if not self.items[i] <= 2147483646:
                    raise kaitaistruct.ValidationGreaterThanError(2147483646, self.items[i], self._io, u"/types/list_of_bounded_s4/seq/1")



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass



    class ListOfDictionaryEntry(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfDictionaryEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(TileIrBytecode.DictionaryEntry(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class ListOfFunction(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfFunction, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(TileIrBytecode.Function(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class ListOfGlobalRecord(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfGlobalRecord, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(TileIrBytecode.GlobalRecord(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class ListOfOp(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfOp, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(TileIrBytecode.Op(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class ListOfS4(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfS4, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(self._io.read_s4le())



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass



    class ListOfS8(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfS8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(self._io.read_s8le())



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass



    class ListOfU1(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfU1, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(self._io.read_u1())



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass



    class ListOfVarint32(KaitaiStruct):
        """A count and that many."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ListOfVarint32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(TileIrBytecode.Varint32(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class MemoryOrderingSemanticsEnum(KaitaiStruct):
        """How strongly a memory operation is ordered beyond what tokens say."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.MemoryOrderingSemanticsEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not _.value <= 4:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/memory_ordering_semantics_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.MemoryOrderingSemantics, self.number.value)
            return getattr(self, '_m_value', None)


    class MemoryScopeEnum(KaitaiStruct):
        """The set of threads among which a memory operation is ordered."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.MemoryScopeEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not _.value <= 2:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/memory_scope_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.MemoryScope, self.number.value)
            return getattr(self, '_m_value', None)


    class MemorySpaceEnum(KaitaiStruct):
        """Where the elements of a fragment are while an extern function runs. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.MemorySpaceEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not  ((self._root.preview) and (_.value <= 1)) :
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/memory_space_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.MemorySpace, self.number.value)
            return getattr(self, '_m_value', None)


    class MultimemReductionKindEnum(KaitaiStruct):
        """How the replicas behind a multicast address are combined. Since 13.5."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.MultimemReductionKindEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not  ((self._root.version >= 1305) and (_.value <= 7)) :
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/multimem_reduction_kind_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.MultimemReductionKind, self.number.value)
            return getattr(self, '_m_value', None)


    class Op(KaitaiStruct):
        """An op: its opcode selects the fields. Result types first, then flags, attributes,
        operands and regions.

        Operands are value numbers. The parameters of the function are 0, 1, ...; the results of
        an op take the next numbers, after those in its regions are given back: a block numbers
        its arguments, then its ops, from where its op stands. (Kaitai cannot count across
        siblings, so numbers are not resolved here.)
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Op, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.opcode = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.opcode
            if not  (( ((_.value <= 21) or ( ((_.value >= 23) and (_.value <= 24)) ) or ( ((_.value >= 37) and (_.value <= 48)) ) or ( ((_.value >= 50) and (_.value <= 51)) ) or ( ((_.value >= 58) and (_.value <= 74)) ) or ( ((_.value >= 76) and (_.value <= 109)) )) ) or ( ((self._root.version >= 1302) and (_.value == 110)) ) or ( ((self._root.version >= 1303) and ( ((_.value >= 111) and (_.value <= 117)) )) ) or ( ((self._root.version >= 1304) and ( ((_.value >= 118) and (_.value <= 122)) )) ) or ( ((self._root.version >= 1305) and ( ((_.value >= 123) and (_.value <= 125)) )) ) or ( ((self._root.preview) and (_.value == 16386)) )) :
                raise kaitaistruct.ValidationExprError(self.opcode, self._io, u"/types/op/seq/0")
            _on = self.mnemonic
            if _on == TileIrBytecode.Opcode.absf:
                pass
                self.fields = TileIrBytecode.OpAbsf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.absi:
                pass
                self.fields = TileIrBytecode.OpAbsi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.addf:
                pass
                self.fields = TileIrBytecode.OpAddf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.addi:
                pass
                self.fields = TileIrBytecode.OpAddi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.alloca:
                pass
                self.fields = TileIrBytecode.OpAlloca(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.andi:
                pass
                self.fields = TileIrBytecode.OpAndi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.assert_op:
                pass
                self.fields = TileIrBytecode.OpAssert(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.assume:
                pass
                self.fields = TileIrBytecode.OpAssume(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.atan2:
                pass
                self.fields = TileIrBytecode.OpAtan2(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.atomic_cas_tko:
                pass
                self.fields = TileIrBytecode.OpAtomicCasTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.atomic_red_view_tko:
                pass
                self.fields = TileIrBytecode.OpAtomicRedViewTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.atomic_rmw_tko:
                pass
                self.fields = TileIrBytecode.OpAtomicRmwTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.bitcast:
                pass
                self.fields = TileIrBytecode.OpBitcast(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.break_op:
                pass
                self.fields = TileIrBytecode.OpBreak(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.broadcast:
                pass
                self.fields = TileIrBytecode.OpBroadcast(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.cat:
                pass
                self.fields = TileIrBytecode.OpCat(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.ceil:
                pass
                self.fields = TileIrBytecode.OpCeil(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.cmpf:
                pass
                self.fields = TileIrBytecode.OpCmpf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.cmpi:
                pass
                self.fields = TileIrBytecode.OpCmpi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.constant:
                pass
                self.fields = TileIrBytecode.OpConstant(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.continue_op:
                pass
                self.fields = TileIrBytecode.OpContinue(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.cos:
                pass
                self.fields = TileIrBytecode.OpCos(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.cosh:
                pass
                self.fields = TileIrBytecode.OpCosh(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.divf:
                pass
                self.fields = TileIrBytecode.OpDivf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.divi:
                pass
                self.fields = TileIrBytecode.OpDivi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.exp:
                pass
                self.fields = TileIrBytecode.OpExp(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.exp2:
                pass
                self.fields = TileIrBytecode.OpExp2(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.exti:
                pass
                self.fields = TileIrBytecode.OpExti(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.extract:
                pass
                self.fields = TileIrBytecode.OpExtract(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.floor:
                pass
                self.fields = TileIrBytecode.OpFloor(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.fma:
                pass
                self.fields = TileIrBytecode.OpFma(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.for_op:
                pass
                self.fields = TileIrBytecode.OpFor(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.fpowf:
                pass
                self.fields = TileIrBytecode.OpFpowf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.fpowi:
                pass
                self.fields = TileIrBytecode.OpFpowi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.ftof:
                pass
                self.fields = TileIrBytecode.OpFtof(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.ftoi:
                pass
                self.fields = TileIrBytecode.OpFtoi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.gdc_launch_dependents_tko:
                pass
                self.fields = TileIrBytecode.OpGdcLaunchDependentsTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.gdc_wait_tko:
                pass
                self.fields = TileIrBytecode.OpGdcWaitTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.get_global:
                pass
                self.fields = TileIrBytecode.OpGetGlobal(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.get_index_space_shape:
                pass
                self.fields = TileIrBytecode.OpGetIndexSpaceShape(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.get_num_tile_blocks:
                pass
                self.fields = TileIrBytecode.OpGetNumTileBlocks(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.get_tensor_shape:
                pass
                self.fields = TileIrBytecode.OpGetTensorShape(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.get_tile_block_id:
                pass
                self.fields = TileIrBytecode.OpGetTileBlockId(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.if_op:
                pass
                self.fields = TileIrBytecode.OpIf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.insert:
                pass
                self.fields = TileIrBytecode.OpInsert(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.int_to_ptr:
                pass
                self.fields = TileIrBytecode.OpIntToPtr(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.iota:
                pass
                self.fields = TileIrBytecode.OpIota(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.itof:
                pass
                self.fields = TileIrBytecode.OpItof(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.join_tokens:
                pass
                self.fields = TileIrBytecode.OpJoinTokens(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.load_ptr_tko:
                pass
                self.fields = TileIrBytecode.OpLoadPtrTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.load_view_tko:
                pass
                self.fields = TileIrBytecode.OpLoadViewTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.log:
                pass
                self.fields = TileIrBytecode.OpLog(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.log2:
                pass
                self.fields = TileIrBytecode.OpLog2(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.loop_op:
                pass
                self.fields = TileIrBytecode.OpLoop(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.make_gather_scatter_view:
                pass
                self.fields = TileIrBytecode.OpMakeGatherScatterView(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.make_partition_view:
                pass
                self.fields = TileIrBytecode.OpMakePartitionView(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.make_strided_view:
                pass
                self.fields = TileIrBytecode.OpMakeStridedView(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.make_tensor_view:
                pass
                self.fields = TileIrBytecode.OpMakeTensorView(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.make_token:
                pass
                self.fields = TileIrBytecode.OpMakeToken(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.maxf:
                pass
                self.fields = TileIrBytecode.OpMaxf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.maxi:
                pass
                self.fields = TileIrBytecode.OpMaxi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.memory_fence_alias_tko:
                pass
                self.fields = TileIrBytecode.OpMemoryFenceAliasTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.minf:
                pass
                self.fields = TileIrBytecode.OpMinf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.mini:
                pass
                self.fields = TileIrBytecode.OpMini(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.mmaf:
                pass
                self.fields = TileIrBytecode.OpMmaf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.mmaf_scaled:
                pass
                self.fields = TileIrBytecode.OpMmafScaled(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.mmai:
                pass
                self.fields = TileIrBytecode.OpMmai(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.mulf:
                pass
                self.fields = TileIrBytecode.OpMulf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.mulhii:
                pass
                self.fields = TileIrBytecode.OpMulhii(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.muli:
                pass
                self.fields = TileIrBytecode.OpMuli(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.multimem_load_reduce_view_tko:
                pass
                self.fields = TileIrBytecode.OpMultimemLoadReduceViewTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.multimem_reduce_view_tko:
                pass
                self.fields = TileIrBytecode.OpMultimemReduceViewTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.multimem_store_view_tko:
                pass
                self.fields = TileIrBytecode.OpMultimemStoreViewTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.negf:
                pass
                self.fields = TileIrBytecode.OpNegf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.negi:
                pass
                self.fields = TileIrBytecode.OpNegi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.offset:
                pass
                self.fields = TileIrBytecode.OpOffset(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.ori:
                pass
                self.fields = TileIrBytecode.OpOri(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.pack:
                pass
                self.fields = TileIrBytecode.OpPack(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.permute:
                pass
                self.fields = TileIrBytecode.OpPermute(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.preview_call:
                pass
                self.fields = TileIrBytecode.OpPreviewCall(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.print_tko:
                pass
                self.fields = TileIrBytecode.OpPrintTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.ptr_to_int:
                pass
                self.fields = TileIrBytecode.OpPtrToInt(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.ptr_to_ptr:
                pass
                self.fields = TileIrBytecode.OpPtrToPtr(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.reduce:
                pass
                self.fields = TileIrBytecode.OpReduce(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.remf:
                pass
                self.fields = TileIrBytecode.OpRemf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.remi:
                pass
                self.fields = TileIrBytecode.OpRemi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.reshape:
                pass
                self.fields = TileIrBytecode.OpReshape(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.return_op:
                pass
                self.fields = TileIrBytecode.OpReturn(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.rsqrt:
                pass
                self.fields = TileIrBytecode.OpRsqrt(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.scan:
                pass
                self.fields = TileIrBytecode.OpScan(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.select_op:
                pass
                self.fields = TileIrBytecode.OpSelect(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.shli:
                pass
                self.fields = TileIrBytecode.OpShli(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.shri:
                pass
                self.fields = TileIrBytecode.OpShri(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.sin:
                pass
                self.fields = TileIrBytecode.OpSin(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.sinh:
                pass
                self.fields = TileIrBytecode.OpSinh(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.sqrt:
                pass
                self.fields = TileIrBytecode.OpSqrt(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.store_ptr_tko:
                pass
                self.fields = TileIrBytecode.OpStorePtrTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.store_view_tko:
                pass
                self.fields = TileIrBytecode.OpStoreViewTko(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.subf:
                pass
                self.fields = TileIrBytecode.OpSubf(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.subi:
                pass
                self.fields = TileIrBytecode.OpSubi(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.tan:
                pass
                self.fields = TileIrBytecode.OpTan(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.tanh:
                pass
                self.fields = TileIrBytecode.OpTanh(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.trunci:
                pass
                self.fields = TileIrBytecode.OpTrunci(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.unpack:
                pass
                self.fields = TileIrBytecode.OpUnpack(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.xori:
                pass
                self.fields = TileIrBytecode.OpXori(self._io, self, self._root)
            elif _on == TileIrBytecode.Opcode.yield_op:
                pass
                self.fields = TileIrBytecode.OpYield(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.opcode._fetch_instances()
            _on = self.mnemonic
            if _on == TileIrBytecode.Opcode.absf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.absi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.addf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.addi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.alloca:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.andi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.assert_op:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.assume:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.atan2:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.atomic_cas_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.atomic_red_view_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.atomic_rmw_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.bitcast:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.break_op:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.broadcast:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.cat:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.ceil:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.cmpf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.cmpi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.constant:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.continue_op:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.cos:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.cosh:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.divf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.divi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.exp:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.exp2:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.exti:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.extract:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.floor:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.fma:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.for_op:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.fpowf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.fpowi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.ftof:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.ftoi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.gdc_launch_dependents_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.gdc_wait_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.get_global:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.get_index_space_shape:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.get_num_tile_blocks:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.get_tensor_shape:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.get_tile_block_id:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.if_op:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.insert:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.int_to_ptr:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.iota:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.itof:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.join_tokens:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.load_ptr_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.load_view_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.log:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.log2:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.loop_op:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.make_gather_scatter_view:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.make_partition_view:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.make_strided_view:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.make_tensor_view:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.make_token:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.maxf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.maxi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.memory_fence_alias_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.minf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.mini:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.mmaf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.mmaf_scaled:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.mmai:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.mulf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.mulhii:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.muli:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.multimem_load_reduce_view_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.multimem_reduce_view_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.multimem_store_view_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.negf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.negi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.offset:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.ori:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.pack:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.permute:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.preview_call:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.print_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.ptr_to_int:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.ptr_to_ptr:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.reduce:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.remf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.remi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.reshape:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.return_op:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.rsqrt:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.scan:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.select_op:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.shli:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.shri:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.sin:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.sinh:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.sqrt:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.store_ptr_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.store_view_tko:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.subf:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.subi:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.tan:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.tanh:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.trunci:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.unpack:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.xori:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.Opcode.yield_op:
                pass
                self.fields._fetch_instances()

        @property
        def mnemonic(self):
            if hasattr(self, '_m_mnemonic'):
                return self._m_mnemonic

            self._m_mnemonic = KaitaiStream.resolve_enum(TileIrBytecode.Opcode, self.opcode.value)
            return getattr(self, '_m_mnemonic', None)


    class OpAbsf(KaitaiStruct):
        """Clear the sign bit, also of a NaN."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAbsf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpAbsi(KaitaiStruct):
        """Absolute value of a signed number as an unsigned one, so that every result fits."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAbsi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpAddf(KaitaiStruct):
        """Sum of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAddf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.rounding_mode._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 1 != 0
            return getattr(self, '_m_flush_to_zero', None)


    class OpAddi(KaitaiStruct):
        """Sum of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAddi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.overflow = TileIrBytecode.IntegerOverflowEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.overflow._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpAlloca(KaitaiStruct):
        """Uninitialised memory that lives until the end of the block the op stands in. Since 13.3.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAlloca, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.num_elem = TileIrBytecode.Varint(self._io, self, self._root)
            self.alignment = TileIrBytecode.Varint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.num_elem._fetch_instances()
            self.alignment._fetch_instances()

        @property
        def global_field(self):
            """In global memory, rather than private to the tile block."""
            if hasattr(self, '_m_global_field'):
                return self._m_global_field

            self._m_global_field = self.flags.value & 1 != 0
            return getattr(self, '_m_global_field', None)


    class OpAndi(KaitaiStruct):
        """Bitwise and of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAndi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpAssert(KaitaiStruct):
        """Report every element that is 0: the message is printed and the launch fails. The kernel may
        run on.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAssert, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.message = TileIrBytecode.Varint32(self._io, self, self._root)
            self.condition = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.message._fetch_instances()
            self.condition._fetch_instances()


    class OpAssume(KaitaiStruct):
        """Promise that a predicate holds for a value, which is the result. Undefined behaviour if the
        predicate does not hold.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAssume, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.predicate = TileIrBytecode.Attribute(self._io, self, self._root)
            self.value = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.predicate._fetch_instances()
            self.value._fetch_instances()


    class OpAtan2(KaitaiStruct):
        """Angle of the point whose ordinate is the first operand. Accurate as the CUDA math library;
        f16 and bf16 are computed in f32 and rounded again. Since 13.2.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAtan2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.x = TileIrBytecode.Varint32(self._io, self, self._root)
            self.y = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.x._fetch_instances()
            self.y._fetch_instances()


    class OpAtomicCasTko(KaitaiStruct):
        """Compare and swap: where memory holds `cmp`, bit by bit, store `val`."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAtomicCasTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(2):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)
            self.pointers = TileIrBytecode.Varint32(self._io, self, self._root)
            self.cmp = TileIrBytecode.Varint32(self._io, self, self._root)
            self.val = TileIrBytecode.Varint32(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.mask = TileIrBytecode.Varint32(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            self.memory_scope._fetch_instances()
            self.pointers._fetch_instances()
            self.cmp._fetch_instances()
            self.val._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.mask._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.token._fetch_instances()



    class OpAtomicRedViewTko(KaitaiStruct):
        """Combine a tile into a tile of a view without returning what was there. Elements outside the
        tensor are left out. Since 13.3.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAtomicRedViewTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)
            self.mode = TileIrBytecode.AtomicRmwModeEnum(self._io, self, self._root)
            if self._root.version >= 1305:
                pass
                self.inbounds = TileIrBytecode.ListOfU1(self._io, self, self._root)

            self.view = TileIrBytecode.Varint32(self._io, self, self._root)
            self.index = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.value = TileIrBytecode.Varint32(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            self.memory_scope._fetch_instances()
            self.mode._fetch_instances()
            if self._root.version >= 1305:
                pass
                self.inbounds._fetch_instances()

            self.view._fetch_instances()
            self.index._fetch_instances()
            self.value._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.token._fetch_instances()



    class OpAtomicRmwTko(KaitaiStruct):
        """Combine an element with what each pointer points to."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpAtomicRmwTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(2):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)
            self.mode = TileIrBytecode.AtomicRmwModeEnum(self._io, self, self._root)
            self.pointers = TileIrBytecode.Varint32(self._io, self, self._root)
            self.arg = TileIrBytecode.Varint32(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.mask = TileIrBytecode.Varint32(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            self.memory_scope._fetch_instances()
            self.mode._fetch_instances()
            self.pointers._fetch_instances()
            self.arg._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.mask._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.token._fetch_instances()



    class OpBitcast(KaitaiStruct):
        """Read the bits of numbers as numbers of another type of the same width."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpBitcast, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpBreak(KaitaiStruct):
        """Leave the innermost loop op."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpBreak, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.all_operands._fetch_instances()


    class OpBroadcast(KaitaiStruct):
        """Repeat a tile along its dimensions of size 1. The rank stays."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpBroadcast, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpCat(KaitaiStruct):
        """Join two tiles along a dimension, lhs first. Other dimensions are equal."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpCat, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.dim = TileIrBytecode.Varint(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.dim._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpCeil(KaitaiStruct):
        """The smallest integer that is not below the element."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpCeil, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpCmpf(KaitaiStruct):
        """Compare each pair of elements; -0 equals 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpCmpf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.comparison_predicate = TileIrBytecode.ComparisonPredicateEnum(self._io, self, self._root)
            self.comparison_ordering = TileIrBytecode.ComparisonOrderingEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.comparison_predicate._fetch_instances()
            self.comparison_ordering._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpCmpi(KaitaiStruct):
        """Compare each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpCmpi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.comparison_predicate = TileIrBytecode.ComparisonPredicateEnum(self._io, self, self._root)
            self.signedness = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.comparison_predicate._fetch_instances()
            self.signedness._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpConstant(KaitaiStruct):
        """A tile known when the module is written."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpConstant, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.value = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.value._fetch_instances()


    class OpContinue(KaitaiStruct):
        """Continue with the next iteration of the innermost for or loop."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpContinue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.all_operands._fetch_instances()


    class OpCos(KaitaiStruct):
        """Cosine of radians. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpCos, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpCosh(KaitaiStruct):
        """Hyperbolic cosine. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpCosh, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpDivf(KaitaiStruct):
        """Quotient of each pair of elements. approx and full are within 2 ulp; approx gives 0 for
        divisors beyond 2^126, or a NaN if the dividend is infinite.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpDivf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.rounding_mode._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 1 != 0
            return getattr(self, '_m_flush_to_zero', None)


    class OpDivi(KaitaiStruct):
        """Quotient of each pair of elements. Division by zero, or of the smallest signed number by -1,
        is undefined behaviour.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpDivi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.signedness = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.rounding = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.signedness._fetch_instances()
            self.rounding._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpExp(KaitaiStruct):
        """e to the power of each element. Accurate as the CUDA math library; f16 and bf16 are computed
        in f32 and rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpExp, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            if self._root.version >= 1303:
                pass
                self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            if self._root.version >= 1303:
                pass
                self.rounding_mode._fetch_instances()

            self.source._fetch_instances()


    class OpExp2(KaitaiStruct):
        """2 to the power of each element."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpExp2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.source._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 1 != 0
            return getattr(self, '_m_flush_to_zero', None)


    class OpExti(KaitaiStruct):
        """Widen integers; the new type is strictly wider."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpExti, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.signedness = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.from_field = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.signedness._fetch_instances()
            self.from_field._fetch_instances()


    class OpExtract(KaitaiStruct):
        """Cut a tile into slices shaped as the result, and take one of them. Slice i starts at element
        i times the size of the result.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpExtract, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.all_operands._fetch_instances()


    class OpFloor(KaitaiStruct):
        """The largest integer that is not above the element."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpFloor, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpFma(KaitaiStruct):
        """lhs times rhs plus acc, rounded once."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpFma, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.acc = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.rounding_mode._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()
            self.acc._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 1 != 0
            return getattr(self, '_m_flush_to_zero', None)


    class OpFor(KaitaiStruct):
        """Run the region for lowerBound, lowerBound + step, ... below upperBound. A step that is not
        positive, or a sum that overflows, is undefined behaviour.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpFor, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            if self._root.version >= 1302:
                pass
                self.flags = TileIrBytecode.Varint(self._io, self, self._root)

            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.regions = TileIrBytecode.Regions(1, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            if self._root.version >= 1302:
                pass
                self.flags._fetch_instances()

            self.all_operands._fetch_instances()
            self.regions._fetch_instances()

        @property
        def unsigned_cmp(self):
            """Compare with the bound as unsigned. Since 13.2; before, 0."""
            if hasattr(self, '_m_unsigned_cmp'):
                return self._m_unsigned_cmp

            self._m_unsigned_cmp =  ((self._root.version >= 1302) and (self.flags.value & 1 != 0))
            return getattr(self, '_m_unsigned_cmp', None)


    class OpFpowf(KaitaiStruct):
        """Each element to a power. Accurate as the CUDA math library; f16 and bf16 are computed in f32
        and rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpFpowf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)
            self.exponent = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()
            self.exponent._fetch_instances()


    class OpFpowi(KaitaiStruct):
        """Each element to an integer power. Since 13.4."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpFpowi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)
            self.exponent = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()
            self.exponent._fetch_instances()


    class OpFtof(KaitaiStruct):
        """Convert between floating-point types, which must differ."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpFtof, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.from_field = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.rounding_mode._fetch_instances()
            self.from_field._fetch_instances()


    class OpFtoi(KaitaiStruct):
        """Convert floating-point numbers to integers, dropping the fraction. A NaN or a number that
        does not fit is undefined behaviour, unless saturating.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpFtoi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            if self._root.version >= 1304:
                pass
                self.flags = TileIrBytecode.Varint(self._io, self, self._root)

            self.signedness = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.from_field = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            if self._root.version >= 1304:
                pass
                self.flags._fetch_instances()

            self.signedness._fetch_instances()
            self.rounding_mode._fetch_instances()
            self.from_field._fetch_instances()

        @property
        def saturating(self):
            """A number that does not fit becomes the nearest limit, a NaN 0. Since 13.4; before, 0.
            """
            if hasattr(self, '_m_saturating'):
                return self._m_saturating

            self._m_saturating =  ((self._root.version >= 1304) and (self.flags.value & 1 != 0))
            return getattr(self, '_m_saturating', None)


    class OpGdcLaunchDependentsTko(KaitaiStruct):
        """Let the grids that depend on this one start, as far as this tile block is concerned. Since
        13.4.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpGdcLaunchDependentsTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.all_operands._fetch_instances()


    class OpGdcWaitTko(KaitaiStruct):
        """Wait until the grids that this one depends on have finished and their writes are visible.
        Since 13.4.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpGdcWaitTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.all_operands._fetch_instances()


    class OpGetGlobal(KaitaiStruct):
        """The address of a global of the module."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpGetGlobal, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.name = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.name._fetch_instances()


    class OpGetIndexSpaceShape(KaitaiStruct):
        """How many tiles a view has along each dimension, those over the edge included. A number that
        does not fit the result type is undefined behaviour.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpGetIndexSpaceShape, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.src = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.src._fetch_instances()


    class OpGetNumTileBlocks(KaitaiStruct):
        """The size of the grid in tile blocks; 1 along an axis that is not used."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpGetNumTileBlocks, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(3):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()



    class OpGetTensorShape(KaitaiStruct):
        """How many elements a tensor view has along each dimension. A number that does not fit the
        result type is undefined behaviour.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpGetTensorShape, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.src = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.src._fetch_instances()


    class OpGetTileBlockId(KaitaiStruct):
        """The coordinates of this tile block in the grid."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpGetTileBlockId, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(3):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()



    class OpIf(KaitaiStruct):
        """Run one of two regions."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpIf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.condition = TileIrBytecode.Varint32(self._io, self, self._root)
            self.regions = TileIrBytecode.Regions(2, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.condition._fetch_instances()
            self.regions._fetch_instances()


    class OpInsert(KaitaiStruct):
        """A copy of a tile with one of its slices replaced. Slice i starts at element i times the size
        of the source. Since 13.4.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpInsert, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.all_operands._fetch_instances()


    class OpIntToPtr(KaitaiStruct):
        """Read integers as addresses."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpIntToPtr, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpIota(KaitaiStruct):
        """The numbers 0, 1, 2, ... in order, read as unsigned."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpIota, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()



    class OpItof(KaitaiStruct):
        """Convert integers to floating-point numbers. A number that is too large becomes infinity, or
        a NaN if the type has none.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpItof, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.signedness = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.from_field = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.signedness._fetch_instances()
            self.rounding_mode._fetch_instances()
            self.from_field._fetch_instances()


    class OpJoinTokens(KaitaiStruct):
        """Join two or more tokens: the result is after all of them."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpJoinTokens, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.all_operands._fetch_instances()


    class OpLoadPtrTko(KaitaiStruct):
        """Load an element through each pointer. A pointer that is not naturally aligned or not to live
        memory is undefined behaviour.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpLoadPtrTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(2):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.optimization_hints = TileIrBytecode.ListOfDictionaryEntry(self._io, self, self._root)

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)
            if self.flags.value & 4 != 0:
                pass
                self.mask = TileIrBytecode.Varint32(self._io, self, self._root)

            if self.flags.value & 8 != 0:
                pass
                self.padding_value = TileIrBytecode.Varint32(self._io, self, self._root)

            if self.flags.value & 16 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.optimization_hints._fetch_instances()

            self.source._fetch_instances()
            if self.flags.value & 4 != 0:
                pass
                self.mask._fetch_instances()

            if self.flags.value & 8 != 0:
                pass
                self.padding_value._fetch_instances()

            if self.flags.value & 16 != 0:
                pass
                self.token._fetch_instances()



    class OpLoadViewTko(KaitaiStruct):
        """Load a tile of a view. Elements outside the tensor become the padding value of the view
        type, or are unspecified without one.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpLoadViewTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.optimization_hints = TileIrBytecode.ListOfDictionaryEntry(self._io, self, self._root)

            if self._root.version >= 1304:
                pass
                self.inbounds = TileIrBytecode.ListOfU1(self._io, self, self._root)

            self.view = TileIrBytecode.Varint32(self._io, self, self._root)
            self.index = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            if self.flags.value & 4 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.optimization_hints._fetch_instances()

            if self._root.version >= 1304:
                pass
                self.inbounds._fetch_instances()

            self.view._fetch_instances()
            self.index._fetch_instances()
            if self.flags.value & 4 != 0:
                pass
                self.token._fetch_instances()



    class OpLog(KaitaiStruct):
        """Natural logarithm. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpLog, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpLog2(KaitaiStruct):
        """Logarithm to base 2. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpLog2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpLoop(KaitaiStruct):
        """Run the region again and again, until a break."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpLoop, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.regions = TileIrBytecode.Regions(1, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.all_operands._fetch_instances()
            self.regions._fetch_instances()


    class OpMakeGatherScatterView(KaitaiStruct):
        """Let tiles pick single positions of a tensor view along one dimension. Since 13.3."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMakeGatherScatterView, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.tensor_view = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.tensor_view._fetch_instances()


    class OpMakePartitionView(KaitaiStruct):
        """Cut a tensor view into a grid of equal tiles."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMakePartitionView, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.tensor_view = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.tensor_view._fetch_instances()


    class OpMakeStridedView(KaitaiStruct):
        """Cut a tensor view into tiles that may overlap or leave gaps. Since 13.3."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMakeStridedView, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.tensor_view = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.tensor_view._fetch_instances()


    class OpMakeTensorView(KaitaiStruct):
        """Describe a tensor in memory: where it is, its shape, its strides in elements. Dynamic values
        are read as unsigned; all have the same type.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMakeTensorView, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.base = TileIrBytecode.Varint32(self._io, self, self._root)
            self.dynamic_shape = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.dynamic_strides = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.base._fetch_instances()
            self.dynamic_shape._fetch_instances()
            self.dynamic_strides._fetch_instances()


    class OpMakeToken(KaitaiStruct):
        """Make a token that depends on no operation."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMakeToken, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()



    class OpMaxf(KaitaiStruct):
        """The larger of each pair of elements; 0 is above -0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMaxf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 2 != 0
            return getattr(self, '_m_flush_to_zero', None)

        @property
        def propagate_nan(self):
            """A NaN in either gives a NaN; without it the other operand wins."""
            if hasattr(self, '_m_propagate_nan'):
                return self._m_propagate_nan

            self._m_propagate_nan = self.flags.value & 1 != 0
            return getattr(self, '_m_propagate_nan', None)


    class OpMaxi(KaitaiStruct):
        """The larger of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMaxi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.signedness = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.signedness._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpMemoryFenceAliasTko(KaitaiStruct):
        """Order accesses to the same memory under different addresses, as multicast and unicast. Since
        13.4.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMemoryFenceAliasTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.token = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.token._fetch_instances()


    class OpMinf(KaitaiStruct):
        """The smaller of each pair of elements; -0 is below 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMinf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 2 != 0
            return getattr(self, '_m_flush_to_zero', None)

        @property
        def propagate_nan(self):
            """A NaN in either gives a NaN; without it the other operand wins."""
            if hasattr(self, '_m_propagate_nan'):
                return self._m_propagate_nan

            self._m_propagate_nan = self.flags.value & 1 != 0
            return getattr(self, '_m_propagate_nan', None)


    class OpMini(KaitaiStruct):
        """The smaller of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMini, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.signedness = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.signedness._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpMmaf(KaitaiStruct):
        """Matrix product plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in front. The order
        of the sum and its inner precision are unspecified.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMmaf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            if self._root.version >= 1303:
                pass
                self.flags = TileIrBytecode.Varint(self._io, self, self._root)

            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.acc = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            if self._root.version >= 1303:
                pass
                self.flags._fetch_instances()

            self.lhs._fetch_instances()
            self.rhs._fetch_instances()
            self.acc._fetch_instances()

        @property
        def fast_acc(self):
            """f8: the sum may be kept at less precision, for speed. Since 13.3; before, 0."""
            if hasattr(self, '_m_fast_acc'):
                return self._m_fast_acc

            self._m_fast_acc =  ((self._root.version >= 1303) and (self.flags.value & 1 != 0))
            return getattr(self, '_m_fast_acc', None)


    class OpMmafScaled(KaitaiStruct):
        """Matrix product of scaled blocks plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in
        front. V neighbours along K share a scale: 32 for f8, 16 or 32 for f4E2M1FN by scale type.
        Since 13.3.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMmafScaled, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.acc = TileIrBytecode.Varint32(self._io, self, self._root)
            self.lhs_scale = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs_scale = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.lhs._fetch_instances()
            self.rhs._fetch_instances()
            self.acc._fetch_instances()
            self.lhs_scale._fetch_instances()
            self.rhs_scale._fetch_instances()


    class OpMmai(KaitaiStruct):
        """Matrix product plus accumulator, lhs MxK by rhs KxN; rank 3 has a batch in front."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMmai, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.signedness_lhs = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.signedness_rhs = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.acc = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.signedness_lhs._fetch_instances()
            self.signedness_rhs._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()
            self.acc._fetch_instances()


    class OpMulf(KaitaiStruct):
        """Product of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMulf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.rounding_mode._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 1 != 0
            return getattr(self, '_m_flush_to_zero', None)


    class OpMulhii(KaitaiStruct):
        """High half of the unsigned product, which has twice the width."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMulhii, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.x = TileIrBytecode.Varint32(self._io, self, self._root)
            self.y = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.x._fetch_instances()
            self.y._fetch_instances()


    class OpMuli(KaitaiStruct):
        """Low half of the product of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMuli, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.overflow = TileIrBytecode.IntegerOverflowEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.overflow._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpMultimemLoadReduceViewTko(KaitaiStruct):
        """Load a tile from all replicas of multicast memory and combine them. Since 13.5."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMultimemLoadReduceViewTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)

            self.reduction = TileIrBytecode.MultimemReductionKindEnum(self._io, self, self._root)
            self.inbounds = TileIrBytecode.ListOfU1(self._io, self, self._root)
            self.view = TileIrBytecode.Varint32(self._io, self, self._root)
            self.index = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            if self.flags.value & 2 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope._fetch_instances()

            self.reduction._fetch_instances()
            self.inbounds._fetch_instances()
            self.view._fetch_instances()
            self.index._fetch_instances()
            if self.flags.value & 2 != 0:
                pass
                self.token._fetch_instances()



    class OpMultimemReduceViewTko(KaitaiStruct):
        """Combine a tile into all replicas of multicast memory, each element atomically. Elements
        outside the tensor are left out. Since 13.5.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMultimemReduceViewTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)
            self.reduction = TileIrBytecode.MultimemReductionKindEnum(self._io, self, self._root)
            self.inbounds = TileIrBytecode.ListOfU1(self._io, self, self._root)
            self.view = TileIrBytecode.Varint32(self._io, self, self._root)
            self.tile = TileIrBytecode.Varint32(self._io, self, self._root)
            self.index = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            self.memory_scope._fetch_instances()
            self.reduction._fetch_instances()
            self.inbounds._fetch_instances()
            self.view._fetch_instances()
            self.tile._fetch_instances()
            self.index._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.token._fetch_instances()



    class OpMultimemStoreViewTko(KaitaiStruct):
        """Store a tile to all replicas of multicast memory. Elements outside the tensor are left out.
        Since 13.5.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpMultimemStoreViewTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)

            self.inbounds = TileIrBytecode.ListOfU1(self._io, self, self._root)
            self.view = TileIrBytecode.Varint32(self._io, self, self._root)
            self.tile = TileIrBytecode.Varint32(self._io, self, self._root)
            self.index = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            if self.flags.value & 2 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope._fetch_instances()

            self.inbounds._fetch_instances()
            self.view._fetch_instances()
            self.tile._fetch_instances()
            self.index._fetch_instances()
            if self.flags.value & 2 != 0:
                pass
                self.token._fetch_instances()



    class OpNegf(KaitaiStruct):
        """Flip the sign bit, also of a NaN."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpNegf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpNegi(KaitaiStruct):
        """Negative of each element, in two's complement."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpNegi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            if self._root.version >= 1302:
                pass
                self.overflow = TileIrBytecode.IntegerOverflowEnum(self._io, self, self._root)

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            if self._root.version >= 1302:
                pass
                self.overflow._fetch_instances()

            self.source._fetch_instances()


    class OpOffset(KaitaiStruct):
        """Move pointers by a number of elements of their pointee. Undefined behaviour if the distance
        in bytes or the address overflows.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpOffset, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.ptr = TileIrBytecode.Varint32(self._io, self, self._root)
            self.offset = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.ptr._fetch_instances()
            self.offset._fetch_instances()


    class OpOri(KaitaiStruct):
        """Bitwise or of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpOri, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpPack(KaitaiStruct):
        """The bytes of a tile, little-endian; elements below a byte share one, lowest bits first.
        Since 13.3.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpPack, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpPermute(KaitaiStruct):
        """Reorder the dimensions of a tile of rank 2 or more."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpPermute, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.permutation = TileIrBytecode.ListOfBoundedS4(self._io, self, self._root)
            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.permutation._fetch_instances()
            self.source._fetch_instances()


    class OpPreviewCall(KaitaiStruct):
        """Call an extern function of the module. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpPreviewCall, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.callee = TileIrBytecode.Varint32(self._io, self, self._root)
            self.const_args = TileIrBytecode.ListOfAttribute(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.arg_attrs = TileIrBytecode.ListOfAttribute(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.res_attrs = TileIrBytecode.ListOfAttribute(self._io, self, self._root)

            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.flags._fetch_instances()
            self.callee._fetch_instances()
            self.const_args._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.arg_attrs._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.res_attrs._fetch_instances()

            self.all_operands._fetch_instances()


    class OpPrintTko(KaitaiStruct):
        """Print tiles to the standard output of the host, as printf does."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpPrintTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            if self._root.version >= 1302:
                pass
                self.flags = TileIrBytecode.Varint(self._io, self, self._root)

            self.str = TileIrBytecode.Varint32(self._io, self, self._root)
            self.args = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            if  ((self._root.version >= 1302) and (self.flags.value & 1 != 0)) :
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            if self._root.version >= 1302:
                pass
                self.flags._fetch_instances()

            self.str._fetch_instances()
            self.args._fetch_instances()
            if  ((self._root.version >= 1302) and (self.flags.value & 1 != 0)) :
                pass
                self.token._fetch_instances()



    class OpPtrToInt(KaitaiStruct):
        """The addresses that pointers hold."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpPtrToInt, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpPtrToPtr(KaitaiStruct):
        """The same addresses with another pointee."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpPtrToPtr, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpReduce(KaitaiStruct):
        """Combine all elements along a dimension into one. In unspecified order: the accumulator may
        also be an element, identity or partial result.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpReduce, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.dim = TileIrBytecode.Varint(self._io, self, self._root)
            self.identities = TileIrBytecode.ListOfAttribute(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.regions = TileIrBytecode.Regions(1, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.dim._fetch_instances()
            self.identities._fetch_instances()
            self.all_operands._fetch_instances()
            self.regions._fetch_instances()


    class OpRemf(KaitaiStruct):
        """Remainder of the division toward zero, exact, with the sign of lhs. A NaN if rhs is 0 or lhs
        infinite; lhs if only rhs is infinite.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpRemf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpRemi(KaitaiStruct):
        """Remainder of the division toward zero; when signed it has the sign of lhs. Division by zero
        is undefined behaviour.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpRemi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.signedness = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.signedness._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpReshape(KaitaiStruct):
        """Give the elements, in row-major order, another shape."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpReshape, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpReturn(KaitaiStruct):
        """End the kernel for this tile block."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpReturn, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.all_operands._fetch_instances()


    class OpRsqrt(KaitaiStruct):
        """1 over the square root."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpRsqrt, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.source._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 1 != 0
            return getattr(self, '_m_flush_to_zero', None)


    class OpScan(KaitaiStruct):
        """Inclusive prefix along a dimension: each element combined with all before it."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpScan, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.dim = TileIrBytecode.Varint(self._io, self, self._root)
            self.reverse = self._io.read_u1()
            self.identities = TileIrBytecode.ListOfAttribute(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.regions = TileIrBytecode.Regions(1, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.dim._fetch_instances()
            self.identities._fetch_instances()
            self.all_operands._fetch_instances()
            self.regions._fetch_instances()


    class OpSelect(KaitaiStruct):
        """Choose between two tiles, element by element."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpSelect, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.cond = TileIrBytecode.Varint32(self._io, self, self._root)
            self.val_if_true = TileIrBytecode.Varint32(self._io, self, self._root)
            self.val_if_false = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.cond._fetch_instances()
            self.val_if_true._fetch_instances()
            self.val_if_false._fetch_instances()


    class OpShli(KaitaiStruct):
        """Shift left, filling with zeros."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpShli, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.overflow = TileIrBytecode.IntegerOverflowEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.overflow._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpShri(KaitaiStruct):
        """Shift right, filling with zeros (unsigned) or the sign bit (signed)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpShri, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.signedness = TileIrBytecode.SignednessEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.signedness._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpSin(KaitaiStruct):
        """Sine of radians. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpSin, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpSinh(KaitaiStruct):
        """Hyperbolic sine. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpSinh, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpSqrt(KaitaiStruct):
        """Square root."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpSqrt, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.rounding_mode._fetch_instances()
            self.source._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 1 != 0
            return getattr(self, '_m_flush_to_zero', None)


    class OpStorePtrTko(KaitaiStruct):
        """Store an element through each pointer; of two to one address, either may win. A pointer that
        is not naturally aligned or not to live memory is undefined behaviour.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpStorePtrTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.optimization_hints = TileIrBytecode.ListOfDictionaryEntry(self._io, self, self._root)

            self.destination = TileIrBytecode.Varint32(self._io, self, self._root)
            self.value = TileIrBytecode.Varint32(self._io, self, self._root)
            if self.flags.value & 4 != 0:
                pass
                self.mask = TileIrBytecode.Varint32(self._io, self, self._root)

            if self.flags.value & 8 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.optimization_hints._fetch_instances()

            self.destination._fetch_instances()
            self.value._fetch_instances()
            if self.flags.value & 4 != 0:
                pass
                self.mask._fetch_instances()

            if self.flags.value & 8 != 0:
                pass
                self.token._fetch_instances()



    class OpStoreViewTko(KaitaiStruct):
        """Store a tile of a view. Elements outside the tensor are left out."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpStoreViewTko, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.memory_ordering_semantics = TileIrBytecode.MemoryOrderingSemanticsEnum(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope = TileIrBytecode.MemoryScopeEnum(self._io, self, self._root)

            if self.flags.value & 2 != 0:
                pass
                self.optimization_hints = TileIrBytecode.ListOfDictionaryEntry(self._io, self, self._root)

            if self._root.version >= 1304:
                pass
                self.inbounds = TileIrBytecode.ListOfU1(self._io, self, self._root)

            self.tile = TileIrBytecode.Varint32(self._io, self, self._root)
            self.view = TileIrBytecode.Varint32(self._io, self, self._root)
            self.index = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            if self.flags.value & 4 != 0:
                pass
                self.token = TileIrBytecode.Varint32(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.flags._fetch_instances()
            self.memory_ordering_semantics._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.memory_scope._fetch_instances()

            if self.flags.value & 2 != 0:
                pass
                self.optimization_hints._fetch_instances()

            if self._root.version >= 1304:
                pass
                self.inbounds._fetch_instances()

            self.tile._fetch_instances()
            self.view._fetch_instances()
            self.index._fetch_instances()
            if self.flags.value & 4 != 0:
                pass
                self.token._fetch_instances()



    class OpStream(KaitaiStruct):
        """One after the other, to the end."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpStream, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.items = []
            i = 0
            while not self._io.is_eof():
                self.items.append(TileIrBytecode.Op(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class OpSubf(KaitaiStruct):
        """Difference of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpSubf, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.flags._fetch_instances()
            self.rounding_mode._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()

        @property
        def flush_to_zero(self):
            """f32 only: subnormal operands and results become zero of the same sign."""
            if hasattr(self, '_m_flush_to_zero'):
                return self._m_flush_to_zero

            self._m_flush_to_zero = self.flags.value & 1 != 0
            return getattr(self, '_m_flush_to_zero', None)


    class OpSubi(KaitaiStruct):
        """Difference of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpSubi, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.overflow = TileIrBytecode.IntegerOverflowEnum(self._io, self, self._root)
            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.overflow._fetch_instances()
            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpTan(KaitaiStruct):
        """Tangent of radians. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpTan, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpTanh(KaitaiStruct):
        """Hyperbolic tangent. Accurate as the CUDA math library; f16 and bf16 are computed in f32 and
        rounded again.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpTanh, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            if self._root.version >= 1302:
                pass
                self.rounding_mode = TileIrBytecode.RoundingModeEnum(self._io, self, self._root)

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            if self._root.version >= 1302:
                pass
                self.rounding_mode._fetch_instances()

            self.source._fetch_instances()


    class OpTrunci(KaitaiStruct):
        """Narrow integers to their low bits; the new type is strictly narrower."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpTrunci, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.overflow = TileIrBytecode.IntegerOverflowEnum(self._io, self, self._root)
            self.from_field = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.overflow._fetch_instances()
            self.from_field._fetch_instances()


    class OpUnpack(KaitaiStruct):
        """The inverse of pack: read bytes as elements of another type. Since 13.3."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpUnpack, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.source = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.source._fetch_instances()


    class OpXori(KaitaiStruct):
        """Bitwise exclusive or of each pair of elements."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpXori, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = []
            for i in range(1):
                self.result_types.append(TileIrBytecode.Varint32(self._io, self, self._root))

            self.lhs = TileIrBytecode.Varint32(self._io, self, self._root)
            self.rhs = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.result_types)):
                pass
                self.result_types[i]._fetch_instances()

            self.lhs._fetch_instances()
            self.rhs._fetch_instances()


    class OpYield(KaitaiStruct):
        """End a region of if, reduce or scan with its values."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.OpYield, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.result_types = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.all_operands = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.result_types._fetch_instances()
            self.all_operands._fetch_instances()


    class PaddedListOfU4(KaitaiStruct):
        """A count, padding to 4 bytes, and that many numbers."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.PaddedListOfU4, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.padding = TileIrBytecode.Padding(4, self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(self._io.read_u4le())



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            self.padding._fetch_instances()
            for i in range(len(self.items)):
                pass



    class PaddedListOfU8(KaitaiStruct):
        """A count, padding to 8 bytes, and that many numbers."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.PaddedListOfU8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            self.padding = TileIrBytecode.Padding(8, self._io, self, self._root)
            self.items = []
            for i in range(self.count.value):
                self.items.append(self._io.read_u8le())



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            self.padding._fetch_instances()
            for i in range(len(self.items)):
                pass



    class Padding(KaitaiStruct):
        """Filler up to a multiple of `alignment` from the start of the payload (or of the file,
        between sections). Writers fill with 0xCB; readers do not look.
        """
        def __init__(self, alignment, _io, _parent=None, _root=None):
            super(TileIrBytecode.Padding, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.alignment = alignment
            self._read()

        def _read(self):
            self.fill = self._io.read_bytes((self.alignment - self._io.pos() % self.alignment) % self.alignment)


        def _fetch_instances(self):
            pass


    class PaddingValueEnum(KaitaiStruct):
        """What a view load gives for elements outside the tensor."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.PaddingValueEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not _.value <= 4:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/padding_value_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.PaddingValue, self.number.value)
            return getattr(self, '_m_value', None)


    class Producer(KaitaiStruct):
        """Who wrote the file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Producer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.producer = TileIrBytecode.Varint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.producer._fetch_instances()


    class PtrAttrEnum(KaitaiStruct):
        """What kind of address a pointer holds. Since 13.4."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.PtrAttrEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not  (( ((self._root.version >= 1304) and (_.value == 0)) ) or ( ((self._root.version >= 1305) and ( ((_.value >= 1) and (_.value <= 2)) )) )) :
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/ptr_attr_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.PtrAttr, self.number.value)
            return getattr(self, '_m_value', None)


    class RawBytes(KaitaiStruct):
        """Bytes that are read again, as something else, when asked for."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.RawBytes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.data = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass


    class Regions(KaitaiStruct):
        """The regions of an op. A region is a list of blocks, in practice one."""
        def __init__(self, expected, _io, _parent=None, _root=None):
            super(TileIrBytecode.Regions, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.expected = expected
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            _ = self.count
            if not _.value == self.expected:
                raise kaitaistruct.ValidationExprError(self.count, self._io, u"/types/regions/seq/0")
            self.items = []
            for i in range(self.count.value):
                self.items.append(TileIrBytecode.ListOfBlock(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            for i in range(len(self.items)):
                pass
                self.items[i]._fetch_instances()



    class RoundingModeEnum(KaitaiStruct):
        """How a result that cannot be represented is rounded, or how precisely it is computed."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.RoundingModeEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not  ((_.value <= 6) or ( ((self._root.version >= 1304) and (_.value == 7)) )) :
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/rounding_mode_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.RoundingMode, self.number.value)
            return getattr(self, '_m_value', None)


    class ScratchRequest(KaitaiStruct):
        """Shared memory that an implementation needs."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.ScratchRequest, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.size = TileIrBytecode.Attribute(self._io, self, self._root)
            self.alignment = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.size._fetch_instances()
            self.alignment._fetch_instances()


    class Section(KaitaiStruct):
        """A numbered part of the file, or the end marker, which is a single 0."""
        def __init__(self, idx, _io, _parent=None, _root=None):
            super(TileIrBytecode.Section, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.idx = idx
            self._read()

        def _read(self):
            self.id = self._io.read_u1()
            if not  ((self.id == 0) or (self.id == 6) or (self.id == 7) or (self.id == 129) or (self.id == 130) or (self.id == 131) or (self.id == 132) or (self.id == 133) or (self.id == 134) or (self.id == 135)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.id, self._io, u"/types/section/seq/0")
            if (not (self.is_end)):
                pass
                self.length = TileIrBytecode.Varint(self._io, self, self._root)

            if self.is_aligned:
                pass
                self.alignment = TileIrBytecode.Varint(self._io, self, self._root)
                _ = self.alignment
                if not  ((_.value > 0) and (_.value & self.below_alignment == 0) and (_.value % self.least_alignment == 0)) :
                    raise kaitaistruct.ValidationExprError(self.alignment, self._io, u"/types/section/seq/2")

            if self.is_aligned:
                pass
                self.padding = TileIrBytecode.Padding(self.alignment.value, self._io, self, self._root)

            if (not (self.is_end)):
                pass
                self._raw_raw = self._io.read_bytes(self.length.value)
                _io__raw_raw = KaitaiStream(BytesIO(self._raw_raw))
                self.raw = TileIrBytecode.RawBytes(_io__raw_raw, self, self._root)



        def _fetch_instances(self):
            pass
            if (not (self.is_end)):
                pass
                self.length._fetch_instances()

            if self.is_aligned:
                pass
                self.alignment._fetch_instances()

            if self.is_aligned:
                pass
                self.padding._fetch_instances()

            if (not (self.is_end)):
                pass
                self.raw._fetch_instances()

            _ = self.payload
            if hasattr(self, '_m_payload'):
                pass
                _on = self.kind
                if _on == TileIrBytecode.SectionKind.constant:
                    pass
                    self._m_payload._fetch_instances()
                elif _on == TileIrBytecode.SectionKind.debug:
                    pass
                    self._m_payload._fetch_instances()
                elif _on == TileIrBytecode.SectionKind.func_section:
                    pass
                    self._m_payload._fetch_instances()
                elif _on == TileIrBytecode.SectionKind.global_section:
                    pass
                    self._m_payload._fetch_instances()
                elif _on == TileIrBytecode.SectionKind.producer:
                    pass
                    self._m_payload._fetch_instances()
                elif _on == TileIrBytecode.SectionKind.string:
                    pass
                    self._m_payload._fetch_instances()
                elif _on == TileIrBytecode.SectionKind.type_section:
                    pass
                    self._m_payload._fetch_instances()


        @property
        def below_alignment(self):
            if hasattr(self, '_m_below_alignment'):
                return self._m_below_alignment

            if self.is_aligned:
                pass
                self._m_below_alignment = (self.alignment.value - 1)

            return getattr(self, '_m_below_alignment', None)

        @property
        def index_of_types(self):
            """Position of the last Type section so far, -1 if there was none."""
            if hasattr(self, '_m_index_of_types'):
                return self._m_index_of_types

            self._m_index_of_types = (self.idx if self.id % 128 == 5 else (-1 if self.idx == 0 else self._root.sections[self.idx - 1].index_of_types))
            return getattr(self, '_m_index_of_types', None)

        @property
        def is_aligned(self):
            if hasattr(self, '_m_is_aligned'):
                return self._m_is_aligned

            self._m_is_aligned = self.id >= 128
            return getattr(self, '_m_is_aligned', None)

        @property
        def is_end(self):
            if hasattr(self, '_m_is_end'):
                return self._m_is_end

            self._m_is_end = self.id == 0
            return getattr(self, '_m_is_end', None)

        @property
        def kind(self):
            if hasattr(self, '_m_kind'):
                return self._m_kind

            self._m_kind = KaitaiStream.resolve_enum(TileIrBytecode.SectionKind, self.id % 128)
            return getattr(self, '_m_kind', None)

        @property
        def least_alignment(self):
            if hasattr(self, '_m_least_alignment'):
                return self._m_least_alignment

            self._m_least_alignment = (4 if  ((self.id % 128 == 1) or (self.id % 128 == 5))  else (8 if  ((self.id % 128 >= 2) and (self.id % 128 <= 4))  else 1))
            return getattr(self, '_m_least_alignment', None)

        @property
        def payload(self):
            """Read when asked for, so that it may look at the types, wherever they are."""
            if hasattr(self, '_m_payload'):
                return self._m_payload

            if (not (self.is_end)):
                pass
                io = self.raw._io
                _pos = io.pos()
                io.seek(0)
                _on = self.kind
                if _on == TileIrBytecode.SectionKind.constant:
                    pass
                    self._m_payload = TileIrBytecode.SizedBytesTable(io, self, self._root)
                elif _on == TileIrBytecode.SectionKind.debug:
                    pass
                    self._m_payload = TileIrBytecode.DebugSection(io, self, self._root)
                elif _on == TileIrBytecode.SectionKind.func_section:
                    pass
                    self._m_payload = TileIrBytecode.ListOfFunction(io, self, self._root)
                elif _on == TileIrBytecode.SectionKind.global_section:
                    pass
                    self._m_payload = TileIrBytecode.ListOfGlobalRecord(io, self, self._root)
                elif _on == TileIrBytecode.SectionKind.producer:
                    pass
                    self._m_payload = TileIrBytecode.Producer(io, self, self._root)
                elif _on == TileIrBytecode.SectionKind.string:
                    pass
                    self._m_payload = TileIrBytecode.TextTable(io, self, self._root)
                elif _on == TileIrBytecode.SectionKind.type_section:
                    pass
                    self._m_payload = TileIrBytecode.TypeRecordTable(io, self, self._root)
                io.seek(_pos)

            return getattr(self, '_m_payload', None)


    class SignedVarint(KaitaiStruct):
        """A signed number as a varint by zigzag: 0, -1, 1, -2, ..."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.SignedVarint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = (self.number.half if self.number.lowest == 0 else -(self.number.half) - 1)
            return getattr(self, '_m_value', None)


    class SignednessEnum(KaitaiStruct):
        """How an integer's bits are read."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.SignednessEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not _.value <= 1:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/signedness_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.Signedness, self.number.value)
            return getattr(self, '_m_value', None)


    class SizedBytes(KaitaiStruct):
        """A length and that many bytes."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.SizedBytes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.length = TileIrBytecode.Varint(self._io, self, self._root)
            self.data = self._io.read_bytes(self.length.value)


        def _fetch_instances(self):
            pass
            self.length._fetch_instances()


    class SizedBytesSlot(KaitaiStruct):
        """Where an entry lies, counted from the first byte after the offsets, and the entry."""
        def __init__(self, idx, _io, _parent=None, _root=None):
            super(TileIrBytecode.SizedBytesSlot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.idx = idx
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass
            _ = self.entry
            if hasattr(self, '_m_entry'):
                pass
                self._m_entry._fetch_instances()


        @property
        def end(self):
            if hasattr(self, '_m_end'):
                return self._m_end

            self._m_end = (self.following if  ((self.following >= self.offset) and (self.following <= self.limit))  else self.limit)
            return getattr(self, '_m_end', None)

        @property
        def entry(self):
            if hasattr(self, '_m_entry'):
                return self._m_entry

            io = self._parent.raw._io
            _pos = io.pos()
            io.seek(self.start)
            self._raw__m_entry = io.read_bytes(self.end - self.start)
            _io__raw__m_entry = KaitaiStream(BytesIO(self._raw__m_entry))
            self._m_entry = TileIrBytecode.SizedBytes(_io__raw__m_entry, self, self._root)
            io.seek(_pos)
            return getattr(self, '_m_entry', None)

        @property
        def following(self):
            if hasattr(self, '_m_following'):
                return self._m_following

            self._m_following = (self._parent.offsets[self.idx + 1] if self.idx + 1 < len(self._parent.offsets) else self.limit)
            return getattr(self, '_m_following', None)

        @property
        def limit(self):
            if hasattr(self, '_m_limit'):
                return self._m_limit

            self._m_limit = len(self._parent.raw.data)
            return getattr(self, '_m_limit', None)

        @property
        def offset(self):
            if hasattr(self, '_m_offset'):
                return self._m_offset

            self._m_offset = self._parent.offsets[self.idx]
            return getattr(self, '_m_offset', None)

        @property
        def start(self):
            if hasattr(self, '_m_start'):
                return self._m_start

            self._m_start = (self.offset if self.offset < self.limit else self.limit)
            return getattr(self, '_m_start', None)


    class SizedBytesTable(KaitaiStruct):
        """Entries found by offsets into the bytes after the offsets. An entry runs to where the next
        begins, or to the end where that is not further on; an offset beyond the end means the end.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.SizedBytesTable, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            if self.count.value != 0:
                pass
                self.padding = TileIrBytecode.Padding(8, self._io, self, self._root)

            self.offsets = []
            for i in range(self.count.value):
                self.offsets.append(self._io.read_u8le())

            self._raw_raw = self._io.read_bytes_full()
            _io__raw_raw = KaitaiStream(BytesIO(self._raw_raw))
            self.raw = TileIrBytecode.RawBytes(_io__raw_raw, self, self._root)


        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            if self.count.value != 0:
                pass
                self.padding._fetch_instances()

            for i in range(len(self.offsets)):
                pass

            self.raw._fetch_instances()
            _ = self.slots
            if hasattr(self, '_m_slots'):
                pass
                for i in range(len(self._m_slots)):
                    pass
                    self._m_slots[i]._fetch_instances()



        @property
        def slots(self):
            if hasattr(self, '_m_slots'):
                return self._m_slots

            self._m_slots = []
            for i in range(self.count.value):
                self._m_slots.append(TileIrBytecode.SizedBytesSlot(i, self._io, self, self._root))

            return getattr(self, '_m_slots', None)


    class SymbolVisibilityEnum(KaitaiStruct):
        """Whether a symbol can be seen from outside its module."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.SymbolVisibilityEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not _.value <= 1:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/symbol_visibility_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.SymbolVisibility, self.number.value)
            return getattr(self, '_m_value', None)


    class SynchronizationEnum(KaitaiStruct):
        """Which threads an extern function synchronises. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.SynchronizationEnum, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.number
            if not  ((self._root.preview) and (_.value <= 3)) :
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/synchronization_enum/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = KaitaiStream.resolve_enum(TileIrBytecode.Synchronization, self.number.value)
            return getattr(self, '_m_value', None)


    class Text(KaitaiStruct):
        """Bytes up to the end of the entry; UTF-8 by convention."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Text, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.data = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            _ = self.text
            if hasattr(self, '_m_text'):
                pass


        @property
        def text(self):
            if hasattr(self, '_m_text'):
                return self._m_text

            _pos = self._io.pos()
            self._io.seek(0)
            self._m_text = (self._io.read_bytes_full()).decode(u"UTF-8")
            self._io.seek(_pos)
            return getattr(self, '_m_text', None)


    class TextSlot(KaitaiStruct):
        """Where an entry lies, counted from the first byte after the offsets, and the entry."""
        def __init__(self, idx, _io, _parent=None, _root=None):
            super(TileIrBytecode.TextSlot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.idx = idx
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass
            _ = self.entry
            if hasattr(self, '_m_entry'):
                pass
                self._m_entry._fetch_instances()


        @property
        def end(self):
            if hasattr(self, '_m_end'):
                return self._m_end

            self._m_end = (self.following if  ((self.following >= self.offset) and (self.following <= self.limit))  else self.limit)
            return getattr(self, '_m_end', None)

        @property
        def entry(self):
            if hasattr(self, '_m_entry'):
                return self._m_entry

            io = self._parent.raw._io
            _pos = io.pos()
            io.seek(self.start)
            self._raw__m_entry = io.read_bytes(self.end - self.start)
            _io__raw__m_entry = KaitaiStream(BytesIO(self._raw__m_entry))
            self._m_entry = TileIrBytecode.Text(_io__raw__m_entry, self, self._root)
            io.seek(_pos)
            return getattr(self, '_m_entry', None)

        @property
        def following(self):
            if hasattr(self, '_m_following'):
                return self._m_following

            self._m_following = (self._parent.offsets[self.idx + 1] if self.idx + 1 < len(self._parent.offsets) else self.limit)
            return getattr(self, '_m_following', None)

        @property
        def limit(self):
            if hasattr(self, '_m_limit'):
                return self._m_limit

            self._m_limit = len(self._parent.raw.data)
            return getattr(self, '_m_limit', None)

        @property
        def offset(self):
            if hasattr(self, '_m_offset'):
                return self._m_offset

            self._m_offset = self._parent.offsets[self.idx]
            return getattr(self, '_m_offset', None)

        @property
        def start(self):
            if hasattr(self, '_m_start'):
                return self._m_start

            self._m_start = (self.offset if self.offset < self.limit else self.limit)
            return getattr(self, '_m_start', None)


    class TextTable(KaitaiStruct):
        """Entries found by offsets into the bytes after the offsets. An entry runs to where the next
        begins, or to the end where that is not further on; an offset beyond the end means the end.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TextTable, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            if self.count.value != 0:
                pass
                self.padding = TileIrBytecode.Padding(4, self._io, self, self._root)

            self.offsets = []
            for i in range(self.count.value):
                self.offsets.append(self._io.read_u4le())

            self._raw_raw = self._io.read_bytes_full()
            _io__raw_raw = KaitaiStream(BytesIO(self._raw_raw))
            self.raw = TileIrBytecode.RawBytes(_io__raw_raw, self, self._root)


        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            if self.count.value != 0:
                pass
                self.padding._fetch_instances()

            for i in range(len(self.offsets)):
                pass

            self.raw._fetch_instances()
            _ = self.slots
            if hasattr(self, '_m_slots'):
                pass
                for i in range(len(self._m_slots)):
                    pass
                    self._m_slots[i]._fetch_instances()



        @property
        def slots(self):
            if hasattr(self, '_m_slots'):
                return self._m_slots

            self._m_slots = []
            for i in range(self.count.value):
                self._m_slots.append(TileIrBytecode.TextSlot(i, self._io, self, self._root))

            return getattr(self, '_m_slots', None)


    class TypeFunc(KaitaiStruct):
        """Signature: parameter and result types."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypeFunc, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.parameters = TileIrBytecode.ListOfVarint32(self._io, self, self._root)
            self.results = TileIrBytecode.ListOfVarint32(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.parameters._fetch_instances()
            self.results._fetch_instances()


    class TypeGatherScatterView(KaitaiStruct):
        """Tensor view whose tiles pick single positions along one dimension. Since 13.3."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypeGatherScatterView, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            _ = self.flags
            if not _.value < 2:
                raise kaitaistruct.ValidationExprError(self.flags, self._io, u"/types/type_gather_scatter_view/seq/0")
            self.tile = TileIrBytecode.ListOfS4(self._io, self, self._root)
            self.view = TileIrBytecode.Varint32(self._io, self, self._root)
            self.sparse_dim = TileIrBytecode.Varint32(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.padding_value = TileIrBytecode.PaddingValueEnum(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.flags._fetch_instances()
            self.tile._fetch_instances()
            self.view._fetch_instances()
            self.sparse_dim._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.padding_value._fetch_instances()



    class TypePartitionView(KaitaiStruct):
        """Tensor view cut into a grid of equal tiles."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypePartitionView, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.version >= 1303:
                pass
                self.flags = TileIrBytecode.Varint(self._io, self, self._root)
                _ = self.flags
                if not _.value < 2:
                    raise kaitaistruct.ValidationExprError(self.flags, self._io, u"/types/type_partition_view/seq/0")

            self.tile = TileIrBytecode.ListOfS4(self._io, self, self._root)
            self.view = TileIrBytecode.Varint32(self._io, self, self._root)
            self.dim_map = TileIrBytecode.ListOfS4(self._io, self, self._root)
            if self._root.version < 1303:
                pass
                self.has_padding = self._io.read_u1()

            if  (( ((self._root.version < 1303) and (self.has_padding != 0)) ) or ( ((self._root.version >= 1303) and (self.flags.value & 1 != 0)) )) :
                pass
                self.padding_value = TileIrBytecode.PaddingValueEnum(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self._root.version >= 1303:
                pass
                self.flags._fetch_instances()

            self.tile._fetch_instances()
            self.view._fetch_instances()
            self.dim_map._fetch_instances()
            if self._root.version < 1303:
                pass

            if  (( ((self._root.version < 1303) and (self.has_padding != 0)) ) or ( ((self._root.version >= 1303) and (self.flags.value & 1 != 0)) )) :
                pass
                self.padding_value._fetch_instances()



    class TypePreviewFragment(KaitaiStruct):
        """What an implementation of an extern function gets of a tile. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypePreviewFragment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.symbolic_shape = TileIrBytecode.Attribute(self._io, self, self._root)
            self.shape = TileIrBytecode.ListOfS8(self._io, self, self._root)
            self.element = TileIrBytecode.Varint32(self._io, self, self._root)
            self.memory_space = TileIrBytecode.MemorySpaceEnum(self._io, self, self._root)
            self.mem_layout = TileIrBytecode.Attribute(self._io, self, self._root)
            self.fragmap = TileIrBytecode.Attribute(self._io, self, self._root)
            self.alignment = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.symbolic_shape._fetch_instances()
            self.shape._fetch_instances()
            self.element._fetch_instances()
            self.memory_space._fetch_instances()
            self.mem_layout._fetch_instances()
            self.fragmap._fetch_instances()
            self.alignment._fetch_instances()


    class TypePreviewSymT(KaitaiStruct):
        """An element type that a parameter of an extern function stands for. Since 13.5 preview."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypePreviewSymT, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.symbol = TileIrBytecode.Attribute(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.symbol._fetch_instances()


    class TypePtr(KaitaiStruct):
        """Pointer to elements of a scalar type."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypePtr, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.version >= 1304:
                pass
                self.flags = TileIrBytecode.Varint(self._io, self, self._root)
                _ = self.flags
                if not _.value < 2:
                    raise kaitaistruct.ValidationExprError(self.flags, self._io, u"/types/type_ptr/seq/0")

            self.pointee = TileIrBytecode.Varint32(self._io, self, self._root)
            if  ((self._root.version >= 1304) and (self.flags.value & 1 != 0)) :
                pass
                self.ptr_attr = TileIrBytecode.PtrAttrEnum(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self._root.version >= 1304:
                pass
                self.flags._fetch_instances()

            self.pointee._fetch_instances()
            if  ((self._root.version >= 1304) and (self.flags.value & 1 != 0)) :
                pass
                self.ptr_attr._fetch_instances()



    class TypeRecord(KaitaiStruct):
        """A type: its tag selects the fields. Element types have none; others name types by index, in
        any order.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypeRecord, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = TileIrBytecode.Varint32(self._io, self, self._root)
            _ = self.tag
            if not  ((_.value <= 17) or ( ((self._root.version >= 1302) and (_.value == 18)) ) or ( ((self._root.version >= 1303) and ( ((_.value >= 19) and (_.value <= 22)) )) ) or ( ((self._root.version >= 1304) and (_.value == 130)) ) or ( ((self._root.preview) and ( ((_.value >= 209) and (_.value <= 215)) )) )) :
                raise kaitaistruct.ValidationExprError(self.tag, self._io, u"/types/type_record/seq/0")
            _on = self.kind
            if _on == TileIrBytecode.TypeTag.func_tag:
                pass
                self.fields = TileIrBytecode.TypeFunc(self._io, self, self._root)
            elif _on == TileIrBytecode.TypeTag.gather_scatter_view:
                pass
                self.fields = TileIrBytecode.TypeGatherScatterView(self._io, self, self._root)
            elif _on == TileIrBytecode.TypeTag.partition_view:
                pass
                self.fields = TileIrBytecode.TypePartitionView(self._io, self, self._root)
            elif _on == TileIrBytecode.TypeTag.preview_fragment:
                pass
                self.fields = TileIrBytecode.TypePreviewFragment(self._io, self, self._root)
            elif _on == TileIrBytecode.TypeTag.preview_sym_t:
                pass
                self.fields = TileIrBytecode.TypePreviewSymT(self._io, self, self._root)
            elif _on == TileIrBytecode.TypeTag.ptr:
                pass
                self.fields = TileIrBytecode.TypePtr(self._io, self, self._root)
            elif _on == TileIrBytecode.TypeTag.strided_view:
                pass
                self.fields = TileIrBytecode.TypeStridedView(self._io, self, self._root)
            elif _on == TileIrBytecode.TypeTag.tensor_view:
                pass
                self.fields = TileIrBytecode.TypeTensorView(self._io, self, self._root)
            elif _on == TileIrBytecode.TypeTag.tile:
                pass
                self.fields = TileIrBytecode.TypeTile(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            _on = self.kind
            if _on == TileIrBytecode.TypeTag.func_tag:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.TypeTag.gather_scatter_view:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.TypeTag.partition_view:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.TypeTag.preview_fragment:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.TypeTag.preview_sym_t:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.TypeTag.ptr:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.TypeTag.strided_view:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.TypeTag.tensor_view:
                pass
                self.fields._fetch_instances()
            elif _on == TileIrBytecode.TypeTag.tile:
                pass
                self.fields._fetch_instances()

        @property
        def float_width(self):
            """Bits of a floating-point type, 0 for other types."""
            if hasattr(self, '_m_float_width'):
                return self._m_float_width

            self._m_float_width = (16 if  ((self.tag.value >= 5) and (self.tag.value <= 6))  else (32 if self.tag.value == 7 else (19 if self.tag.value == 8 else (64 if self.tag.value == 9 else (8 if  (( ((self.tag.value >= 10) and (self.tag.value <= 11)) ) or (self.tag.value == 18) or (self.tag.value == 130))  else (4 if self.tag.value == 19 else 0))))))
            return getattr(self, '_m_float_width', None)

        @property
        def integer_width(self):
            """Bits of an integer type, 0 for other types."""
            if hasattr(self, '_m_integer_width'):
                return self._m_integer_width

            self._m_integer_width = (1 if self.tag.value == 0 else (8 if self.tag.value == 1 else (16 if self.tag.value == 2 else (32 if self.tag.value == 3 else (64 if self.tag.value == 4 else (4 if self.tag.value == 22 else 0))))))
            return getattr(self, '_m_integer_width', None)

        @property
        def kind(self):
            if hasattr(self, '_m_kind'):
                return self._m_kind

            self._m_kind = KaitaiStream.resolve_enum(TileIrBytecode.TypeTag, self.tag.value)
            return getattr(self, '_m_kind', None)


    class TypeRecordSlot(KaitaiStruct):
        """Where an entry lies, counted from the first byte after the offsets, and the entry."""
        def __init__(self, idx, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypeRecordSlot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.idx = idx
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass
            _ = self.entry
            if hasattr(self, '_m_entry'):
                pass
                self._m_entry._fetch_instances()


        @property
        def end(self):
            if hasattr(self, '_m_end'):
                return self._m_end

            self._m_end = (self.following if  ((self.following >= self.offset) and (self.following <= self.limit))  else self.limit)
            return getattr(self, '_m_end', None)

        @property
        def entry(self):
            if hasattr(self, '_m_entry'):
                return self._m_entry

            io = self._parent.raw._io
            _pos = io.pos()
            io.seek(self.start)
            self._raw__m_entry = io.read_bytes(self.end - self.start)
            _io__raw__m_entry = KaitaiStream(BytesIO(self._raw__m_entry))
            self._m_entry = TileIrBytecode.TypeRecord(_io__raw__m_entry, self, self._root)
            io.seek(_pos)
            return getattr(self, '_m_entry', None)

        @property
        def following(self):
            if hasattr(self, '_m_following'):
                return self._m_following

            self._m_following = (self._parent.offsets[self.idx + 1] if self.idx + 1 < len(self._parent.offsets) else self.limit)
            return getattr(self, '_m_following', None)

        @property
        def limit(self):
            if hasattr(self, '_m_limit'):
                return self._m_limit

            self._m_limit = len(self._parent.raw.data)
            return getattr(self, '_m_limit', None)

        @property
        def offset(self):
            if hasattr(self, '_m_offset'):
                return self._m_offset

            self._m_offset = self._parent.offsets[self.idx]
            return getattr(self, '_m_offset', None)

        @property
        def start(self):
            if hasattr(self, '_m_start'):
                return self._m_start

            self._m_start = (self.offset if self.offset < self.limit else self.limit)
            return getattr(self, '_m_start', None)


    class TypeRecordTable(KaitaiStruct):
        """Entries found by offsets into the bytes after the offsets. An entry runs to where the next
        begins, or to the end where that is not further on; an offset beyond the end means the end.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypeRecordTable, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.count = TileIrBytecode.Varint(self._io, self, self._root)
            if self.count.value != 0:
                pass
                self.padding = TileIrBytecode.Padding(4, self._io, self, self._root)

            self.offsets = []
            for i in range(self.count.value):
                self.offsets.append(self._io.read_u4le())

            self._raw_raw = self._io.read_bytes_full()
            _io__raw_raw = KaitaiStream(BytesIO(self._raw_raw))
            self.raw = TileIrBytecode.RawBytes(_io__raw_raw, self, self._root)


        def _fetch_instances(self):
            pass
            self.count._fetch_instances()
            if self.count.value != 0:
                pass
                self.padding._fetch_instances()

            for i in range(len(self.offsets)):
                pass

            self.raw._fetch_instances()
            _ = self.slots
            if hasattr(self, '_m_slots'):
                pass
                for i in range(len(self._m_slots)):
                    pass
                    self._m_slots[i]._fetch_instances()



        @property
        def slots(self):
            if hasattr(self, '_m_slots'):
                return self._m_slots

            self._m_slots = []
            for i in range(self.count.value):
                self._m_slots.append(TileIrBytecode.TypeRecordSlot(i, self._io, self, self._root))

            return getattr(self, '_m_slots', None)


    class TypeStridedView(KaitaiStruct):
        """Tensor view whose tiles start every `traversal_strides` elements, with overlap or gaps.
        Since 13.3.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypeStridedView, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.flags = TileIrBytecode.Varint(self._io, self, self._root)
            _ = self.flags
            if not _.value < 2:
                raise kaitaistruct.ValidationExprError(self.flags, self._io, u"/types/type_strided_view/seq/0")
            self.tile = TileIrBytecode.ListOfS4(self._io, self, self._root)
            self.traversal_strides = TileIrBytecode.ListOfS4(self._io, self, self._root)
            self.view = TileIrBytecode.Varint32(self._io, self, self._root)
            self.dim_map = TileIrBytecode.ListOfS4(self._io, self, self._root)
            if self.flags.value & 1 != 0:
                pass
                self.padding_value = TileIrBytecode.PaddingValueEnum(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.flags._fetch_instances()
            self.tile._fetch_instances()
            self.traversal_strides._fetch_instances()
            self.view._fetch_instances()
            self.dim_map._fetch_instances()
            if self.flags.value & 1 != 0:
                pass
                self.padding_value._fetch_instances()



    class TypeTensorView(KaitaiStruct):
        """Array in memory: base pointer, shape and strides, static or dynamic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypeTensorView, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.version >= 1304:
                pass
                self.flags = TileIrBytecode.Varint(self._io, self, self._root)
                _ = self.flags
                if not _.value < 2:
                    raise kaitaistruct.ValidationExprError(self.flags, self._io, u"/types/type_tensor_view/seq/0")

            self.element = TileIrBytecode.Varint32(self._io, self, self._root)
            self.shape = TileIrBytecode.ListOfS8(self._io, self, self._root)
            self.strides = TileIrBytecode.ListOfS8(self._io, self, self._root)
            if  ((self._root.version >= 1304) and (self.flags.value & 1 != 0)) :
                pass
                self.ptr_attr = TileIrBytecode.PtrAttrEnum(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self._root.version >= 1304:
                pass
                self.flags._fetch_instances()

            self.element._fetch_instances()
            self.shape._fetch_instances()
            self.strides._fetch_instances()
            if  ((self._root.version >= 1304) and (self.flags.value & 1 != 0)) :
                pass
                self.ptr_attr._fetch_instances()



    class TypeTile(KaitaiStruct):
        """Immutable array of elements with a static shape; rank 0 is a scalar."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.TypeTile, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.element = TileIrBytecode.Varint32(self._io, self, self._root)
            self.shape = TileIrBytecode.ListOfS8(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.symbolic_shape = TileIrBytecode.Attribute(self._io, self, self._root)
                _ = self.symbolic_shape
                if not self._root.preview:
                    raise kaitaistruct.ValidationExprError(self.symbolic_shape, self._io, u"/types/type_tile/seq/2")



        def _fetch_instances(self):
            pass
            self.element._fetch_instances()
            self.shape._fetch_instances()
            if (not (self._io.is_eof())):
                pass
                self.symbolic_shape._fetch_instances()



    class Varint(KaitaiStruct):
        """Unsigned LEB128 number of 64 bits: seven bits a byte, lowest first; bit 7 of a byte says
        that another one follows. At most 10 bytes. More bytes than needed are fine, and bits above
        the 64th do not count.

        .. seealso::
           Source - https://en.wikipedia.org/wiki/LEB128
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Varint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.groups = []
            i = 0
            while True:
                _ = TileIrBytecode.Varint.Group(i, (0 if i == 0 else self.groups[i - 1].half), (64 if i < 2 else self.groups[i - 1].weight * 128), self._io, self, self._root)
                self.groups.append(_)
                if (not (_.has_next)):
                    break
                i += 1


        def _fetch_instances(self):
            pass
            for i in range(len(self.groups)):
                pass
                self.groups[i]._fetch_instances()


        class Group(KaitaiStruct):
            def __init__(self, idx, previous, weight, _io, _parent=None, _root=None):
                super(TileIrBytecode.Varint.Group, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self.idx = idx
                self.previous = previous
                self.weight = weight
                self._read()

            def _read(self):
                self.byte_value = self._io.read_u1()
                _ = self.byte_value
                if not  ((_ < 128) or (self.idx < 9)) :
                    raise kaitaistruct.ValidationExprError(self.byte_value, self._io, u"/types/varint/types/group/seq/0")


            def _fetch_instances(self):
                pass

            @property
            def bits(self):
                if hasattr(self, '_m_bits'):
                    return self._m_bits

                self._m_bits = (self.byte_value % 128)
                return getattr(self, '_m_bits', None)

            @property
            def half(self):
                if hasattr(self, '_m_half'):
                    return self._m_half

                self._m_half = ((self.bits // 2) if self.idx == 0 else (self.previous + ((self.bits % 2) if self.idx == 9 else self.bits) * self.weight))
                return getattr(self, '_m_half', None)

            @property
            def has_next(self):
                if hasattr(self, '_m_has_next'):
                    return self._m_has_next

                self._m_has_next = self.byte_value >= 128
                return getattr(self, '_m_has_next', None)


        @property
        def half(self):
            """The number without its lowest bit."""
            if hasattr(self, '_m_half'):
                return self._m_half

            self._m_half = self.groups[-1].half
            return getattr(self, '_m_half', None)

        @property
        def lowest(self):
            """The lowest bit."""
            if hasattr(self, '_m_lowest'):
                return self._m_lowest

            self._m_lowest = (self.groups[0].bits % 2)
            return getattr(self, '_m_lowest', None)

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = (self.half * 2 + self.lowest)
            return getattr(self, '_m_value', None)


    class Varint32(KaitaiStruct):
        """A varint below 2^32."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Varint32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = TileIrBytecode.Varint(self._io, self, self._root)
            _ = self.number
            if not _.value < 4294967296:
                raise kaitaistruct.ValidationExprError(self.number, self._io, u"/types/varint32/seq/0")


        def _fetch_instances(self):
            pass
            self.number._fetch_instances()

        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = self.number.value
            return getattr(self, '_m_value', None)


    class Version(KaitaiStruct):
        """Bytecode version."""
        def __init__(self, _io, _parent=None, _root=None):
            super(TileIrBytecode.Version, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.major = self._io.read_u1()
            if not self.major == 13:
                raise kaitaistruct.ValidationNotEqualError(13, self.major, self._io, u"/types/version/seq/0")
            self.minor = self._io.read_u1()
            if not self.minor >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.minor, self._io, u"/types/version/seq/1")
            if not self.minor <= 5:
                raise kaitaistruct.ValidationGreaterThanError(5, self.minor, self._io, u"/types/version/seq/1")


        def _fetch_instances(self):
            pass


    @property
    def preview(self):
        """Whether there may be public-preview content."""
        if hasattr(self, '_m_preview'):
            return self._m_preview

        self._m_preview =  ((self.version == 1305) and (self.header.tag & 1 != 0))
        return getattr(self, '_m_preview', None)

    @property
    def types(self):
        """The type table."""
        if hasattr(self, '_m_types'):
            return self._m_types

        if self.sections[-1].index_of_types >= 0:
            pass
            self._m_types = self.sections[self.sections[-1].index_of_types].payload

        return getattr(self, '_m_types', None)

    @property
    def version(self):
        """1304 is 13.4."""
        if hasattr(self, '_m_version'):
            return self._m_version

        self._m_version = self.header.version.major * 100 + self.header.version.minor
        return getattr(self, '_m_version', None)
