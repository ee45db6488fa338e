// C++ exceptions for WebAssembly. Debian's libc++abi for wasm32 is built without them, so this is
// the part of the run-time library that the compiler's code calls: "Itanium C++ ABI: Exception
// Handling" (level II), the tables of its section 7.2 as LLVM lays them out, and LLVM's convention
// for landing pads (WasmEHPrepare): the code that catches stores the number of its landing pad and
// the address of its function's table in __wasm_lpad_context, calls _Unwind_CallPersonality, and
// reads the selector there.
//
// One thread; classes with single inheritance, thrown by value. That is all that Turgor and what it
// uses do.

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <typeinfo>

namespace {

/// Compiled for WebAssembly, a destructor returns what it was called for.
using Destructor = void* (*)(void*);

/// Stands before the thrown object. It is what the throw instruction carries.
struct alignas(16) Thrown {
    const std::type_info* type;
    Destructor destroy;
    Thrown* outer;  ///< what was caught before it and is still being handled
    int references;
    int handlers;  ///< that handle it now; negative while it is thrown again

    void* object() { return this + 1; }
    static Thrown* of(void* object) { return static_cast<Thrown*>(object) - 1; }
};

Thrown* caught = nullptr;
unsigned uncaught = 0;

void release(Thrown* thrown) {
    if (--thrown->references > 0) return;
    if (thrown->destroy) thrown->destroy(thrown->object());
    std::free(thrown);
}

constexpr int cpp_tag = 0;

[[noreturn]] void raise(Thrown* thrown) {
    ++uncaught;
    __builtin_wasm_throw(cpp_tag, thrown);
}

extern "C" void* _ZTVN10__cxxabiv120__si_class_type_infoE[];  // NOLINT: the vtable of the next type

/// abi::__si_class_type_info (section 2.9.5): the type_info of a class with one base.
struct OneBase {
    void* vtable;
    const char* name;
    const std::type_info* base;
};

bool is_a(const std::type_info* type, const std::type_info& wanted) {
    while (*type != wanted) {
        const auto* layout = reinterpret_cast<const OneBase*>(type);
        if (layout->vtable != _ZTVN10__cxxabiv120__si_class_type_infoE + 2) return false;
        type = layout->base;
    }
    return true;
}

/// Reads the numbers of a table, which are of variable length (DWARF 4, section 7.6).
class TableReader {
public:
    explicit TableReader(const std::uint8_t* at) : at_(at) {}
    std::uint8_t byte() { return *at_++; }
    std::uint32_t number() {
        std::uint32_t value = 0;
        int shift = 0;
        std::uint8_t next = 0x80;
        for (; next & 0x80; shift += 7)
            value |= static_cast<std::uint32_t>((next = byte()) & 0x7f) << shift;
        return value;
    }
    std::int32_t signed_number() {
        std::uint32_t value = 0;
        int shift = 0;
        std::uint8_t next = 0x80;
        for (; next & 0x80; shift += 7)
            value |= static_cast<std::uint32_t>((next = byte()) & 0x7f) << shift;
        if (shift < 32 && (next & 0x40)) value |= ~0u << shift;
        return static_cast<std::int32_t>(value);
    }
    const std::uint8_t* at() const { return at_; }

private:
    const std::uint8_t* at_;
};

/// A function's table: which types each landing pad catches.
struct CatchTable {
    const std::type_info* const* types_end = nullptr;
    const std::uint8_t* pads = nullptr;
    const std::uint8_t* actions = nullptr;

    explicit CatchTable(const std::uint8_t* table) {
        constexpr std::uint8_t omitted = 0xff;
        TableReader in(table);
        if (in.byte() != omitted) std::abort();  // landing pads are numbers here
        if (in.byte() != omitted) {
            const std::uint32_t offset = in.number();
            types_end = reinterpret_cast<const std::type_info* const*>(in.at() + offset);
        }
        in.byte();  // how call sites are encoded: always as numbers of variable length
        const std::uint32_t size = in.number();
        pads = in.at();
        actions = pads + size;
    }

    /// The place of the first action of a landing pad, or null where it has none.
    const std::uint8_t* first_action(std::uint32_t pad) const {
        TableReader in(pads);
        std::uint32_t action = 0;
        for (std::uint32_t k = 0; k <= pad; ++k) {
            in.number();
            action = in.number();
        }
        return action == 0 ? nullptr : actions + action - 1;
    }
};

/// The number of the first type of the landing pad that catches the exception, or 0.
int selector_for(const Thrown& thrown, std::uint32_t pad, const CatchTable& table) {
    const std::uint8_t* action = table.first_action(pad);
    while (action) {
        TableReader in(action);
        const std::int32_t type = in.signed_number();
        if (type > 0) {
            const std::type_info* wanted = table.types_end[-type];
            if (!wanted || is_a(thrown.type, *wanted)) return type;
        }
        const std::uint8_t* from = in.at();
        const std::int32_t next = in.signed_number();
        action = next == 0 ? nullptr : from + next;
    }
    return 0;
}

}  // namespace

extern "C" {

struct LandingPad {
    std::uint32_t index;
    const std::uint8_t* table;
    int selector;
};
LandingPad __wasm_lpad_context{};

int _Unwind_CallPersonality(void* thrown) {
    LandingPad& pad = __wasm_lpad_context;
    pad.selector = selector_for(*static_cast<Thrown*>(thrown), pad.index, CatchTable(pad.table));
    return 0;
}

void* __cxa_allocate_exception(std::size_t size) {
    void* memory = std::aligned_alloc(alignof(Thrown), (sizeof(Thrown) + size + 15) / 16 * 16);
    if (!memory) std::terminate();
    return static_cast<Thrown*>(memory) + 1;
}

void __cxa_free_exception(void* object) {
    std::free(Thrown::of(object));
}

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, Destructor destroy) {
    Thrown* thrown = Thrown::of(object);
    *thrown = {type, destroy, nullptr, 1, 0};
    raise(thrown);
}

void* __cxa_get_exception_ptr(void* thrown) {
    return static_cast<Thrown*>(thrown)->object();
}

void* __cxa_begin_catch(void* exception) {
    auto* thrown = static_cast<Thrown*>(exception);
    thrown->handlers = std::abs(thrown->handlers) + 1;
    --uncaught;
    if (thrown != caught) {
        thrown->outer = caught;
        caught = thrown;
    }
    return thrown->object();
}

void __cxa_end_catch() {
    Thrown* thrown = caught;
    if (!thrown) return;
    const bool goes_on = thrown->handlers < 0;
    thrown->handlers += goes_on ? 1 : -1;
    if (thrown->handlers != 0) return;
    caught = thrown->outer;
    if (!goes_on) release(thrown);
}

[[noreturn]] void __cxa_rethrow() {
    if (!caught) std::terminate();
    caught->handlers = -caught->handlers;
    raise(caught);
}

// std::exception_ptr holds on to an exception by these.

void __cxa_increment_exception_refcount(void* object) {
    if (object) ++Thrown::of(object)->references;
}

void __cxa_decrement_exception_refcount(void* object) {
    if (object) release(Thrown::of(object));
}

void* __cxa_current_primary_exception() {
    if (!caught) return nullptr;
    ++caught->references;
    return caught->object();
}

void __cxa_rethrow_primary_exception(void* object) {
    if (!object) return;
    Thrown* thrown = Thrown::of(object);
    if (thrown->handlers != 0) std::terminate();  // it would be handled twice at a time
    ++thrown->references;
    raise(thrown);
}

bool __cxa_uncaught_exception() {
    return uncaught > 0;
}

unsigned __cxa_uncaught_exceptions() {
    return uncaught;
}

}  // extern "C"
